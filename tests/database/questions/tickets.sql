CREATE TABLE guest (id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, born DATE,
    registered_on DATE, last_login DATE);
CREATE TABLE ticket (id INTEGER PRIMARY KEY, guest_id INTEGER REFERENCES guest, price INTEGER,
    bought_on DATE, paid_on DATE);
INSERT INTO guest VALUES (1, 'Ann', 'Moss', '1990-05-01', '2023-01-07', '2024-12-20'),
    (2, 'Bob', 'Nash', '1985-02-03', '2023-02-08', '2024-11-11');
INSERT INTO ticket VALUES (1, 1, 20, '2024-03-01', '2024-03-09'),
    (2, 1, 30, '2024-06-02', NULL), (3, 2, 10, '2024-09-03', '2024-09-04');
