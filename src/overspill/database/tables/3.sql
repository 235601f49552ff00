-- What a tenant keeps in a bucket, so that a quota holds for all machines.

create table overspill.usage (
    bytes bigint not null, artifacts bigint not null,
    tenant text collate "C" not null default overspill.tenant() primary key
);
create table overspill.kept (
    session text collate "C" not null, artifact text collate "C" not null, bytes bigint not null,
    reserved timestamptz not null default now(),
    tenant text collate "C" not null default overspill.tenant(), primary key (tenant, session, artifact)
);

-- A connection sees the rows of its own tenant, and none besides.
do $$ declare one text; own text := '(tenant = (select overspill.tenant()))';
begin
    foreach one in array array['usage', 'kept'] loop
        execute format('alter table overspill.%I enable row level security', one);
        execute format('alter table overspill.%I force row level security', one);
        execute format('create policy own_rows on overspill.%I using %s with check %s', one, own, own);
    end loop;
end $$;
