CREATE TABLE pupil (id INTEGER PRIMARY KEY, name TEXT, sex TEXT);
CREATE TABLE vote (id INTEGER PRIMARY KEY, pupil_id INTEGER REFERENCES pupil,
    speaker INTEGER REFERENCES pupil, treasurer INTEGER REFERENCES pupil, cycle TEXT);
CREATE TABLE captain (id INTEGER PRIMARY KEY REFERENCES pupil, points INTEGER);
INSERT INTO captain VALUES (2, 7), (4, 9);
INSERT INTO pupil VALUES (1, 'Ann', 'F'), (2, 'Bob', 'M'), (3, 'Cid', 'M'), (4, 'Dan', 'M');
INSERT INTO vote VALUES (1, 4, 1, 2, 'fall'), (2, 4, 1, 3, 'spring'), (3, 3, 2, NULL, 'fall');
