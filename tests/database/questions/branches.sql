CREATE TABLE branch (id INTEGER PRIMARY KEY, name TEXT, opened_on DATE, closed_on DATE);
CREATE TABLE baker (id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT,
    branch_id INTEGER REFERENCES branch,
    hired_on DATE, exit_date DATE);
CREATE TABLE oven (id INTEGER PRIMARY KEY, name TEXT, in_service BOOLEAN, full_time BOOLEAN,
    weight_g INTEGER);
CREATE TABLE loan (no TEXT PRIMARY KEY, granted_on DATE, amount REAL, status TEXT);
INSERT INTO branch VALUES (1, 'Korn', '2000-01-01', '2019-01-01'), (2, 'Laib', '1999-01-01', NULL);
INSERT INTO baker VALUES (1, 'Ada', 'Moss', 2, '2011-01-01', NULL),
    (2, 'Bo', 'Ott', 1, '2012-01-01', '2019-01-01'), (3, 'Cleo', 'Rath', 2, '2015-05-05', NULL);
INSERT INTO oven VALUES (1, 'Vulcan', 0, 1, 120000), (2, 'Ember', 1, 0, 9000),
    (3, 'Ash', 1, 1, 200000);
INSERT INTO loan VALUES ('L-a', '2021-01-01', 900, 'granted'),
    ('L-b', '2022-01-01', 1500, 'denied'), ('L-c', '2023-01-01', 2500, 'granted'),
    ('L-d', '2022-03-01', 1100, 'denied'), ('L-e', '2022-04-01', 1200, 'granted'),
    ('L-f', '2022-05-01', 1300, 'denied');
