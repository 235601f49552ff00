-- The roles of the tenants' pods, for the database of compose.yml, which runs this once. Passwords are set by whoever
-- knows them: `docker compose exec database psql -U owner fleet -c "alter role acme_pods password '...'"`.
create role acme_pods login;
create role globex_pods login;
