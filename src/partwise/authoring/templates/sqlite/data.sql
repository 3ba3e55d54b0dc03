-- The tables that domain.py reads. Put your own in their place, or name a database file there.
CREATE TABLE book (title TEXT PRIMARY KEY, author TEXT NOT NULL, year INTEGER NOT NULL);
CREATE TABLE member (name TEXT PRIMARY KEY, town TEXT NOT NULL);
CREATE TABLE loan (member TEXT REFERENCES member, title TEXT REFERENCES book, day TEXT NOT NULL);

INSERT INTO book VALUES
  ('Emma', 'Jane Austen', 1815),
  ('Persuasion', 'Jane Austen', 1817),
  ('Dracula', 'Bram Stoker', 1897),
  ('Middlemarch', 'George Eliot', 1871),
  ('Silas Marner', 'George Eliot', 1861),
  ('Cranford', 'Elizabeth Gaskell', 1853),
  ('North and South', 'Elizabeth Gaskell', 1854);

INSERT INTO member VALUES
  ('Ada', 'Leeds'), ('Ben', 'York'), ('Carla', 'Leeds'), ('Dmitri', 'Bath'), ('Esther', 'York');

INSERT INTO loan VALUES
  ('Ada', 'Emma', '2026-01-09'),
  ('Ada', 'Dracula', '2026-02-11'),
  ('Ben', 'Middlemarch', '2026-01-20'),
  ('Ben', 'Emma', '2026-03-02'),
  ('Carla', 'Persuasion', '2026-01-15'),
  ('Carla', 'Cranford', '2026-02-21'),
  ('Carla', 'Middlemarch', '2026-04-01'),
  ('Dmitri', 'Dracula', '2026-03-17'),
  ('Dmitri', 'North and South', '2026-04-05'),
  ('Esther', 'Emma', '2026-04-08'),
  ('Esther', 'Silas Marner', '2026-05-12');
