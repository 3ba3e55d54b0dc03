CREATE TABLE harbour (id INTEGER PRIMARY KEY, city TEXT);
CREATE TABLE sailor (id INTEGER PRIMARY KEY, name TEXT, birth_date DATE, wage INTEGER,
    manager_id INTEGER REFERENCES sailor);
CREATE TABLE ferry (id INTEGER PRIMARY KEY, name TEXT, length INTEGER, seats INTEGER,
    sold INTEGER, ordered INTEGER, year_built INTEGER);
CREATE TABLE trip (id INTEGER PRIMARY KEY, ferry_id INTEGER REFERENCES ferry,
    origin_id INTEGER REFERENCES harbour, destination_id INTEGER REFERENCES harbour,
    skipper_id INTEGER REFERENCES sailor, day DATE);
INSERT INTO harbour VALUES (1, 'Kiel'), (2, 'Oslo'), (3, 'Riga');
INSERT INTO sailor VALUES (1, 'Ann', '1960-01-01', 50, NULL), (2, 'Bob', '1990-05-05', 30, 1),
    (3, 'Cid', '2001-07-07', 20, 1);
INSERT INTO ferry VALUES (1, 'Swan', 40, 90, 7, 9, 1905), (2, 'Gull', 60, 80, 5, 2, 1990),
    (3, 'Tern', 20, 30, 1, 1, 2010);
INSERT INTO trip VALUES (1, 1, 1, 2, 1, '2024-07-01'), (2, 1, 2, 1, 2, '2024-11-02'),
    (3, 2, 1, 3, 2, '2023-02-01'), (4, 1, 3, 1, 3, '2024-08-03');
