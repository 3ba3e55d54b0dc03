CREATE TABLE client (id INTEGER PRIMARY KEY, name TEXT, town TEXT, joined_on DATE);
CREATE TABLE booking (id INTEGER PRIMARY KEY, client_id INTEGER REFERENCES client,
    cabin TEXT, nights INTEGER, price_eur REAL, booked_on DATE, note TEXT, paid_on DATE);
CREATE TABLE inspection (id INTEGER PRIMARY KEY, client_id INTEGER REFERENCES client,
    inspected_on DATE, paid_on DATE);
CREATE TABLE guide (id INTEGER PRIMARY KEY, name TEXT, boat_id INTEGER REFERENCES boat);
CREATE TABLE boat (id INTEGER PRIMARY KEY, name TEXT);
INSERT INTO boat VALUES (1, 'Gull');
INSERT INTO guide VALUES (1, 'Eve', 1), (2, 'Finn', NULL);
INSERT INTO client VALUES (1, 'Ada', 'Oslo', '2024-01-05'), (2, 'Bo', 'Oslo', '2023-02-01'),
    (3, 'Cem', 'Kiel', '2024-03-01'), (4, 'Dag', 'Kiel', '2022-03-01');
INSERT INTO booking VALUES
    (1, 1, 'lake', 2, 300, '2023-05-01', 'early', NULL),
    (2, 1, 'hill', 9, 900, '2024-05-01', 'late', '2024-06-01'),
    (3, 2, 'lake', 4, 700, '2024-06-01', 'dog', NULL),
    (4, 2, 'lake', 3, 200, '2024-07-01', NULL, NULL),
    (5, 3, 'hill', 5, 800, '2023-08-01', NULL, '2023-09-01'),
    (6, 2, 'lake', 1, 100, '2025-01-01', NULL, NULL);
INSERT INTO inspection VALUES (1, 3, '2024-05-05', '2025-02-02');
