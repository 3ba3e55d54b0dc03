CREATE TABLE edn (ttl TEXT, fmt TEXT, stat TEXT, pgs INTEGER, prc_eur REAL, wt_g INTEGER);
CREATE TABLE hand (
    nm TEXT,
    email TEXT,
    kd TEXT, -- A apprentice, M master
    hire_dt DATE,
    floor_no INTEGER
);
CREATE TABLE appt (nm TEXT, stat TEXT, stk_qty INTEGER, min_qty INTEGER, disc_pct INTEGER,
    opn_dt DATE, exp_dt DATE);
INSERT INTO edn VALUES ('Moss', 'PB', 'IP', 120, 0, 1500), ('Fern', 'HB', 'OP', 180, 9, 900),
    ('Reed', 'PB', 'FC', 220, 2000000, 100), ('Sedge', 'EB', 'IP', 90, 4, 100),
    ('Rush', 'HB', 'IP', 190, 5, 100), ('Iris', 'PB', 'OP', 300, 6, 100);INSERT INTO hand VALUES 
    ('Ada', 'ada@gmail.com', 'A', '2001-05-01', 1), ('Bo', 'bo@press.org', 'M', '2022-05-01', 2),
    ('Cleo', 'c@gmail.com', 'M', '2012-05-01', 2), ('Dee', 'd@press.org', 'A', '2013-05-01', 3);INSERT INTO appt VALUES ('Alba', 'NOSH', 3, 5, 0, '2024-01-01', '2024-02-01'),
    ('Bina', 'DONE', 9, 5, 10, '2024-01-01', '2025-03-01'),
    ('Cora', 'DONE', 7, 5, 20, '2024-01-01', NULL);INSERT INTO edn VALUES ('Moss', 'PB', 'IP', 120, 0, 1500), ('Fern', 'HB', 'OP', 180, 9, 900),
    ('Reed', 'PB', 'FC', 220, 2000000, 100), ('Sedge', 'EB', 'IP', 90, 4, 100),
    ('Rush', 'HB', 'IP', 190, 5, 100), ('Iris', 'PB', 'OP', 300, 6, 100);INSERT INTO hand VALUES 
    ('Ada', 'ada@gmail.com', 'A', '2001-05-01', 1), ('Bo', 'bo@press.org', 'M', '2022-05-01', 2),
    ('Cleo', 'c@gmail.com', 'M', '2012-05-01', 2), ('Dee', 'd@press.org', 'A', '2013-05-01', 3);INSERT INTO appt VALUES ('Alba', 'NOSH', 3, 5, 0, '2024-01-01', '2024-02-01'),
    ('Bina', 'DONE', 9, 5, 10, '2024-01-01', '2025-03-01'),
    ('Cora', 'DONE', 7, 5, 20, '2024-01-01', NULL);INSERT INTO edn VALUES ('Moss', 'PB', 'IP', 120, 0, 1500), ('Fern', 'HB', 'OP', 180, 9, 900),
    ('Reed', 'PB', 'FC', 220, 2000000, 100), ('Sedge', 'EB', 'IP', 90, 4, 100),
    ('Rush', 'HB', 'IP', 190, 5, 100), ('Iris', 'PB', 'OP', 300, 6, 100);INSERT INTO hand VALUES 
    ('Ada', 'ada@gmail.com', 'A', '2001-05-01', 1), ('Bo', 'bo@press.org', 'M', '2022-05-01', 2),
    ('Cleo', 'c@gmail.com', 'M', '2012-05-01', 2), ('Dee', 'd@press.org', 'A', '2013-05-01', 3);INSERT INTO appt VALUES ('Alba', 'NOSH', 3, 5, 0, '2024-01-01', '2024-02-01'),
    ('Bina', 'DONE', 9, 5, 10, '2024-01-01', '2025-03-01'),
    ('Cora', 'DONE', 7, 5, 20, '2024-01-01', NULL);
