-- Run once, when the server's volume is empty: Dagster's own storage is a database of its own.
CREATE DATABASE IF NOT EXISTS dagster CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
GRANT ALL PRIVILEGES ON dagster.* TO 'rag'@'%';
