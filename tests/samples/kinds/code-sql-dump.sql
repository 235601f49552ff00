1|tea|250|top
2|jam|199|top
3|rice|120|low
4|beans|95|low
5|salt|40|low
6|honey|510|top
7|oats|130|mid
8|plums|310|mid
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE items (id integer primary key, name text, cents integer, shelf text);
INSERT INTO items VALUES(1,'tea',250,'top');
INSERT INTO items VALUES(2,'jam',199,'top');
INSERT INTO items VALUES(3,'rice',120,'low');
INSERT INTO items VALUES(4,'beans',95,'low');
INSERT INTO items VALUES(5,'salt',40,'low');
INSERT INTO items VALUES(6,'honey',510,'top');
INSERT INTO items VALUES(7,'oats',130,'mid');
INSERT INTO items VALUES(8,'plums',310,'mid');
COMMIT;
