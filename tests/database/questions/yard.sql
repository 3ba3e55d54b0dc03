CREATE TABLE staff (id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT,
    monthly_salary INTEGER, commission_percent REAL, hire_date DATE);
CREATE TABLE client (id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, town TEXT);
CREATE TABLE boat (id INTEGER PRIMARY KEY, name TEXT, length_m REAL, dt_reg DATE, ins_exp DATE);
CREATE TABLE sale (id INTEGER PRIMARY KEY, boat_id INTEGER REFERENCES boat,
    salesperson_id INTEGER REFERENCES staff, buyer_id INTEGER REFERENCES client,
    price INTEGER, sold_on DATE, paid_on DATE);
CREATE TABLE campaign (id INTEGER PRIMARY KEY, name TEXT, start_date DATE, end_date DATE);
INSERT INTO staff VALUES (1, 'Ann', 'Moss', 2000, 5, '2020-01-01'),
    (2, 'Bob', 'Nash', 3000, NULL, '2019-01-01'), (3, 'Cal', 'Ode', 2500, 0, '2021-01-01');
INSERT INTO client VALUES (1, 'Dee', 'Pratt', 'Cork'), (2, 'Eve', 'Quill', 'Cobh');
INSERT INTO boat VALUES (1, 'Heron', 8.5, '2018-01-01', '2024-06-01'),
    (2, 'Kestrel', 12, '2020-01-01', '2025-06-01');
INSERT INTO sale VALUES (1, 1, 1, 2, 900, '2024-03-01', '2024-05-01'),
    (2, 2, 2, 1, 1500, '2024-06-01', NULL);
INSERT INTO campaign VALUES (1, 'Spring', '2024-03-01', '2024-04-30'),
    (2, 'Autumn', '2024-09-01', NULL);
