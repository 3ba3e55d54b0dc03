CREATE TABLE reader (id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, email TEXT);
CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT, pages INTEGER);
CREATE TABLE loan (id INTEGER PRIMARY KEY, reader_id INTEGER REFERENCES reader,
    book_id INTEGER REFERENCES book, minutes INTEGER);
CREATE TABLE employee (id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT,
    boss_id INTEGER REFERENCES employee);
CREATE TABLE pony (id INTEGER PRIMARY KEY, name TEXT, dam_id INTEGER REFERENCES pony);
INSERT INTO reader VALUES (1, 'Ida', 'Kern', 'ida@gmail.com'), (2, 'Uwe', 'Ott', 'uwe@home.org');
INSERT INTO book VALUES (1, 'By the sea', 90), (2, 'Seaside inns', 300), (3, 'Soups', 200);
INSERT INTO loan VALUES (1, 1, 1, 30), (2, 1, 2, 60), (3, 2, 3, 90), (4, 1, 3, 20);
INSERT INTO employee VALUES (1, 'Ann', 'Bell', NULL), (2, 'Bo', 'Cole', 1), (3, 'Cy', 'Dean', 1);
INSERT INTO pony VALUES (1, 'Bella', NULL), (2, 'Daisy', 1), (3, 'Max', 2);
