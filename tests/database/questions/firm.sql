CREATE TABLE staff(id INTEGER PRIMARY KEY, name TEXT, salary REAL,
    manager_id INTEGER REFERENCES staff(id), dept TEXT, hired DATE, left_on DATE);
INSERT INTO staff VALUES(1,'Mary Ott',100,NULL,'IT','2020-01-01',NULL),
    (2,'Bob Lee',80,1,'IT','2021-01-01','2024-01-31'),
    (3,'Cy Roe',70,1,'HR','2022-01-01',NULL),(4,'Di Foe',60,3,'HR','2023-01-01',NULL);
CREATE TABLE artist(id INTEGER PRIMARY KEY, name TEXT, country TEXT);
INSERT INTO artist VALUES (1,'Anna Berg','Sweden'),(2,'Tom Hill','Ireland'),
    (3,'Lea Marin','France');
CREATE TABLE visit(id INTEGER PRIMARY KEY, member_id INTEGER,
    day DATE); INSERT INTO visit VALUES(1,1,'2024-01-01'),(2,1,'2024-01-02'),(3,2,'2024-01-02');
