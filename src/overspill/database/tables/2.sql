-- Hand-offs, and what budgets they were given.

create table overspill.runs (
    run text collate "C" not null, started_ns bigint not null, used double precision not null,
    tenant text collate "C" not null default overspill.tenant(),
    project text collate "C" not null default overspill.project(),
    primary key (tenant, project, run)
);
create table overspill.handoffs (
    run text collate "C" not null, phase bigint not null, newest boolean not null, content text collate "C" not null,
    modified double precision not null,
    tenant text collate "C" not null default overspill.tenant(),
    project text collate "C" not null default overspill.project(),
    primary key (tenant, project, run, phase),
    foreign key (tenant, project, run) references overspill.runs on delete cascade
);
create unique index handoffs_newest on overspill.handoffs (tenant, project, phase) where newest;
create table overspill.budget_log (
    number bigint generated always as identity, entry text collate "C" not null,
    at timestamptz not null default now(),
    tenant text collate "C" not null default overspill.tenant(),
    project text collate "C" not null default overspill.project(),
    primary key (tenant, project, number)
);

-- A connection sees the rows of its own tenant, and of one project of it, and none besides.
do $$ declare one text; own text := '(tenant = (select overspill.tenant()) and project = (select overspill.project()))';
begin
    foreach one in array array['runs', 'handoffs', 'budget_log'] loop
        execute format('alter table overspill.%I enable row level security', one);
        execute format('alter table overspill.%I force row level security', one);
        execute format('create policy own_rows on overspill.%I using %s with check %s', one, own, own);
    end loop;
end $$;
