CREATE TABLE parcel (code TEXT PRIMARY KEY, town TEXT, ordered_on DATE, shipped_on DATE,
    due_on DATE, width REAL, height REAL);
INSERT INTO parcel VALUES
    ('P-a', 'Ulm', '2024-01-01', '2024-01-02', '2024-01-05', 3, 4),
    ('P-b', 'Ulm', '2024-01-01', '2024-01-09', '2024-01-05', 5, 2),
    ('P-c', 'Jena', '2024-02-01', '2024-02-04', '2024-02-04', 5, 6),
    ('P-d', 'Jena', '2024-03-01', NULL, '2024-03-04', 1, 1);
