-- What prisma/functions has made in this database.
CREATE TABLE sql_function (
  name text PRIMARY KEY,
  hash text NOT NULL,
  objects text[] NOT NULL,
  revision integer NOT NULL
);
