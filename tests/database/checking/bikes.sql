CREATE TABLE maker (id INTEGER PRIMARY KEY, name TEXT, country TEXT);
CREATE TABLE bike (id INTEGER PRIMARY KEY, maker INTEGER, model TEXT, price REAL, note TEXT);
CREATE TABLE rate (day TEXT, rate REAL);
INSERT INTO maker VALUES (1, 'Avia', 'France'), (2, 'Bora', 'Italy');
INSERT INTO bike (id, maker, model, price)
VALUES (1, 1, 'City', 300), (2, 2, 'City', 500), (3, 1, 'Hill', 9);
