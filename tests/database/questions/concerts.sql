CREATE TABLE patron (id INTEGER PRIMARY KEY, name TEXT, first_name TEXT, last_name TEXT);
CREATE TABLE player (id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, instrument TEXT,
    second_instrument TEXT, salary INTEGER, mentor_id INTEGER REFERENCES player,
    hired_on DATE, left_on DATE);
CREATE TABLE concert (id INTEGER PRIMARY KEY, title TEXT, concert_date DATE, delay_minutes INTEGER,
    estimated_cost INTEGER, actual_cost INTEGER, leader_id INTEGER REFERENCES player);
CREATE TABLE donation (id INTEGER PRIMARY KEY, patron_id INTEGER REFERENCES patron,
    amount NUMERIC(8,2), given_on DATE);
CREATE TABLE ticket_sale (id INTEGER PRIMARY KEY, concert_id INTEGER REFERENCES concert,
    patron_id INTEGER REFERENCES patron, quantity INTEGER, unit_price NUMERIC(8,2), sold_on DATE,
    note TEXT);
INSERT INTO patron VALUES (1, 'Ada Bell', 'Ada', 'Bell'), (2, 'Ben Cole', 'Ben', 'Cole'),
    (3, 'Cy Dean', 'Cy', 'Dean');
INSERT INTO player VALUES (1, 'Uma', 'Voss', 'Violin', NULL, 50, NULL, '2019-01-01', NULL),
    (2, 'Vic', 'West', 'Cello', 'Violin', 60, 1, '2020-01-01', NULL),
    (3, 'Wim', 'Xu', 'Cello', NULL, 40, 1, '2021-01-01', '2024-01-01');
INSERT INTO concert VALUES (1, 'Dawn', '2024-05-01', 5, 90, 120, 1),
    (2, 'Dusk', '2025-02-01', 30, 200, 100, 2), (3, 'Night', '2025-08-01', 0, 50, 60, 2);
INSERT INTO donation VALUES (1, 1, 10, '2025-01-01'), (2, 2, 90, '2025-02-01'),
    (3, 1, 20, '2025-03-01');
INSERT INTO ticket_sale VALUES (1, 1, 3, 4, 25, '2025-04-01', 'Dusk'),
    (2, 1, 1, 1, 20, '2025-04-02', NULL), (3, 2, 3, 2, 25, '2025-04-03', 'by post');
