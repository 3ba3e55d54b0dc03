CREATE TABLE department (id INTEGER PRIMARY KEY, name TEXT, city TEXT,
    head_employee_id INTEGER REFERENCES employee);
CREATE TABLE employee (id INTEGER PRIMARY KEY, name TEXT, wage INTEGER,
    department_id INTEGER REFERENCES department);
INSERT INTO department VALUES (1, 'Sales', 'Berlin', 1), (2, 'Stores', 'Paris', 3);
INSERT INTO employee VALUES (1, 'Ann Moss', 50, 1), (2, 'Bob Nash', 30, 1), (3, 'Cid Hale', 40, 2),
    (4, 'Dan Orr', 20, 2), (5, 'Eva Lund', 35, 2);
