CREATE TABLE rider (id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT);
CREATE TABLE lesson (id INTEGER PRIMARY KEY, rider_id INTEGER REFERENCES rider, kind TEXT,
    minutes INTEGER);
INSERT INTO rider VALUES (1, 'Ida', 'Kern'), (2, 'Uwe', 'Ott'), (3, 'Ben', 'Ott');
INSERT INTO lesson VALUES (1, 1, 'warm-up', 30), (2, 1, 'jumping', 60), (3, 2, 'warm-up', 20);
