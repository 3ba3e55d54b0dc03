CREATE TABLE shops (shop_id INTEGER PRIMARY KEY, name VARCHAR(40), city VARCHAR(40));
CREATE TABLE employees (
    employee_id INTEGER PRIMARY KEY, first_name VARCHAR(40), last_name VARCHAR(40),
    hire_date DATE, manager_id INTEGER REFERENCES employees (employee_id),
    shop_id INTEGER REFERENCES shops (shop_id), password_hash VARCHAR(40)
);
CREATE TABLE bicycles (
    bicycle_id INTEGER PRIMARY KEY, model VARCHAR(40), frame_no VARCHAR(20), colour VARCHAR(20),
    weight_kg DOUBLE PRECISION, electric BOOLEAN
);
CREATE TABLE rentals (
    rental_id INTEGER PRIMARY KEY, bicycle_id INTEGER REFERENCES bicycles (bicycle_id),
    employee_id INTEGER REFERENCES employees (employee_id), rental_date DATE,
    amount_paid DOUBLE PRECISION
);
CREATE TABLE shop_bicycles (
    shop_id INTEGER REFERENCES shops (shop_id), bicycle_id INTEGER REFERENCES bicycles (bicycle_id),
    PRIMARY KEY (shop_id, bicycle_id)
);
INSERT INTO shops VALUES (1, 'North Yard', 'Lisbon'), (2, 'Old Mill', 'Oslo');
INSERT INTO employees VALUES (11, 'Ines', 'Martins', '2020-03-15', NULL, 2, 'x11f');
INSERT INTO employees VALUES (12, 'Björn', 'Åkesson', '2020-04-15', 11, 1, 'x12f');
INSERT INTO employees VALUES (13, 'Mary', 'Peacock', '2020-05-15', 11, 2, 'x13f');
INSERT INTO employees VALUES (14, 'Ken', 'Adams', '2020-06-15', 11, 1, 'x14f');
INSERT INTO bicycles VALUES (101, 'Café Racer', '0101', 'green', 10.1, TRUE),
  (102, 'Penny-Farthing', '0102', 'red', 10.2, FALSE),
  (103, 'Mountain King', '0103', 'sky blue', 10.3, TRUE),
  (104, 'O''Neill 29', '0104', 'green', 10.4, FALSE),
  (105, 'Tandem', '0105', 'red', 10.5, TRUE),
  (106, 'Cargo Mule', '0106', 'sky blue', 10.6, FALSE),
  (107, 'Little Rocket', '0107', 'green', 10.7, TRUE),
  (108, 'City Star', '0108', 'red', 10.8, FALSE),
  (109, 'Night Rider', '0109', 'sky blue', 10.9, TRUE),
  (110, 'Gravel Queen', '0110', 'green', 11.0, FALSE),
  (111, 'Old Faithful', '0111', 'red', 11.1, TRUE),
  (112, 'Swift', '0112', 'sky blue', 11.2, FALSE);
INSERT INTO rentals VALUES (1001, 106, 12, '2024-03-21', 10.01),
  (1002, 107, 13, '2024-04-22', 10.02),
  (1003, 108, 14, '2024-05-23', 10.03),
  (1004, 109, 11, '2024-06-24', 10.04),
  (1005, 110, 12, '2024-07-25', 10.05),
  (1006, 111, 13, '2024-08-26', 10.06),
  (1007, 112, 14, '2024-09-27', 10.07),
  (1008, 101, 11, '2024-01-10', 10.08),
  (1009, 102, 12, '2024-02-11', 10.09),
  (1010, 103, 13, '2024-03-12', 10.1),
  (1011, 104, 14, '2024-04-13', 10.11),
  (1012, 105, 11, '2024-05-14', 10.12),
  (1013, 106, 12, '2024-06-15', 10.13),
  (1014, 107, 13, '2024-07-16', 10.14),
  (1015, 108, 14, '2024-08-17', 10.15),
  (1016, 109, 11, '2024-09-18', 10.16),
  (1017, 110, 12, '2024-01-19', 10.17),
  (1018, 111, 13, '2024-02-20', 10.18),
  (1019, 112, 14, '2024-03-21', 10.19),
  (1020, 101, 11, '2024-04-22', 10.2),
  (1021, 102, 12, '2024-05-23', 10.21),
  (1022, 103, 13, '2024-06-24', 10.22),
  (1023, 104, 14, '2024-07-25', 10.23),
  (1024, 105, 11, '2024-08-26', 10.24),
  (1025, 106, 12, '2024-09-27', 10.25),
  (1026, 107, 13, '2024-01-10', 10.26),
  (1027, 108, 14, '2024-02-11', 10.27),
  (1028, 109, 11, '2024-03-12', 10.28),
  (1029, 110, 12, '2024-04-13', 10.29),
  (1030, 111, 13, '2024-05-14', 10.3);
INSERT INTO shop_bicycles VALUES (1, 101),
  (2, 102),
  (1, 103),
  (2, 104),
  (1, 105),
  (2, 106),
  (1, 107),
  (2, 108),
  (1, 109),
  (2, 110),
  (1, 111),
  (2, 112);
