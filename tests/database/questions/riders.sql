CREATE TABLE rider (rider_id INTEGER PRIMARY KEY, name TEXT, hired_on DATE, wage REAL);
CREATE TABLE errand (errand_id INTEGER PRIMARY KEY, rider_id INTEGER REFERENCES rider(rider_id),
    sender_id INTEGER REFERENCES rider(rider_id), ran_on DATE, mode TEXT, stars INTEGER,
    load_kg REAL);
CREATE TABLE snack (snack_id INTEGER PRIMARY KEY, errand_id INTEGER REFERENCES errand(errand_id),
    eaten_on DATE);
CREATE TABLE hut (hut_id INTEGER PRIMARY KEY, name TEXT, bunks INTEGER, cost_per_kg REAL);
INSERT INTO rider VALUES (1, 'Ann Lee', '2019-02-01', 11), (2, 'Bo Ray', '2021-03-01', 12),
    (3, 'Cy Fox', '2020-07-01', 13);
INSERT INTO hut VALUES (1, 'Cold Top', 4, 1.5), (2, 'Low Ford', 9, 2.5), (3, 'Pine Gap', 6, 3);
INSERT INTO errand VALUES (1, 1, 2, '2024-01-02', 'bike', 5, 2.5), (2, 2, 3, '2024-01-04', 'foot',
    4, 1.5), (3, 1, 3, '2024-02-02', 'bike', 5, 3.5), (4, 3, 1, '2024-03-02', 'foot', 2, 0.5),
    (5, 3, 1, '2024-03-05', 'tram', 2, 0.5), (6, 2, 1, '2024-03-09', 'tram', 5, 0.75),
    (7, 3, 1, '2024-01-05', 'tram', 2, 0.25), (8, 2, 1, '2024-01-09', 'tram', 5, 0.75),
    (9, 3, 1, '2024-01-06', 'foot', 2, 0.25), (10, 2, 1, '2024-01-08', 'bike', 5, 0.5);
