CREATE TABLE person (id INTEGER PRIMARY KEY, full_name TEXT, born INTEGER);
CREATE TABLE cast_member (id INTEGER PRIMARY KEY, person_id INTEGER REFERENCES person,
    character_name TEXT);
INSERT INTO person VALUES (1, 'Ines Moor', 1970), (2, 'Tom Alder', 1988);
INSERT INTO cast_member VALUES (1, 1, 'Captain Friis'), (2, 2, 'The nurse');
