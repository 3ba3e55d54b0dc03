CREATE TABLE bakery (name TEXT PRIMARY KEY, town TEXT, closed_on DATE, is_organic INTEGER);
INSERT INTO bakery VALUES ('Korn', 'Ulm', NULL, 1), ('Laib', 'Ulm', '2020-02-02', 0),
    ('Kruste', 'Jena', NULL, 0), ('Rinde', 'Bonn', NULL, 0);
CREATE TABLE baker (name TEXT PRIMARY KEY, bakery TEXT REFERENCES bakery, hired_on DATE,
    left_on DATE, phone TEXT);
INSERT INTO baker VALUES ('Ada', 'Korn', '2011-01-01', NULL, '12'),
    ('Bo', 'Korn', '2012-01-01', '2019-01-01', NULL), ('Cleo', 'Kruste', '2015-05-05', NULL, '14');
CREATE TABLE invoice (no TEXT PRIMARY KEY, bakery TEXT REFERENCES bakery, issued_on DATE,
    due_on DATE, paid_on DATE, amount REAL);
INSERT INTO invoice VALUES
    ('I-a', 'Korn', '2024-11-01', '2024-12-01', '2024-12-02', 10),
    ('I-b', 'Korn', '2024-11-02', '2024-12-02', NULL, 20),
    ('I-c', 'Kruste', '2024-12-20', '2025-01-20', NULL, 40);
