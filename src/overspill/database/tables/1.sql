-- The tables of tasks. `overspill.migrations` says which of these scripts were run; what is published is never changed.
-- Rows name the tenant and the project they belong to, and are given those of the connection.

create table overspill.migrations (
    number integer primary key, oldest integer not null, applied timestamptz not null default now()
);
create table overspill.roles (role text not null, tenant text not null, primary key (role, tenant));

-- The tenant that this connection names, if the role it logged in with may name it; else null, which no row has.
create function overspill.tenant() returns text language sql stable security definer
    set search_path = pg_catalog, pg_temp
as $$
    select current_setting('overspill.tenant', true) where exists (
        select from overspill.roles
        where role = session_user and tenant in ('*', current_setting('overspill.tenant', true)))
$$;
create function overspill.project() returns text language sql stable
as $$ select current_setting('overspill.project', true) $$;

-- What SQLite calls so.
create function overspill.instr(text, text) returns integer language sql immutable as $$ select strpos($1, $2) $$;
create function overspill.join_step(text, text, text) returns text language sql immutable
as $$ select case when $1 is null then $2 else $1 || $3 || $2 end $$;
create aggregate overspill.group_concat(text, text) (sfunc = overspill.join_step, stype = text);

create table overspill.tasks (
    number bigint not null,
    title text collate "C" not null,
    status text collate "C" not null,
    said text collate "C" not null,
    priority text collate "C" not null,
    type text collate "C" not null,
    parent bigint,
    phase text collate "C",
    created text collate "C" not null,
    completed text collate "C",
    archived bigint,
    archived_at text collate "C",
    description text collate "C",
    notes text collate "C",
    acceptance text collate "C",
    files text collate "C",
    verification text collate "C",
    uid text collate "C" not null,
    maker text collate "C" not null default '',
    begun bigint not null default 0,
    updated bigint not null default 0,
    first bigint not null default 0,
    changed bigint not null default 0,
    assignee text collate "C",
    lease bigint,
    reason text collate "C",
    labels text collate "C",
    closed integer not null generated always as (
        case when status in ('done', 'cancelled') then 1 else 0 end) stored,
    place integer not null generated always as (
        case when status in ('done', 'cancelled') then 9 else
        case priority when 'critical' then 0 when 'high' then 1 when 'medium' then 2 else 3 end end) stored,
    tenant text collate "C" not null default overspill.tenant(),
    project text collate "C" not null default overspill.project(),
    primary key (tenant, project, number),
    unique (tenant, project, uid),
    foreign key (tenant, project, parent) references overspill.tasks deferrable
);
create index tasks_by_state on overspill.tasks (tenant, project, closed, number) where archived is null;
create index tasks_by_place on overspill.tasks (tenant, project, place, begun, number) where archived is null;
create index tasks_by_age on overspill.tasks (tenant, project, (-begun), number) where archived is null;
create index tasks_by_update on overspill.tasks (tenant, project, (-updated), number) where archived is null;
create index tasks_by_turn on overspill.tasks (tenant, project, status, place, begun, number) where archived is null;
create index tasks_archived on overspill.tasks (tenant, project, (-archived), number) where archived is not null;
create index tasks_by_change on overspill.tasks (tenant, project, changed);
create index tasks_by_parent on overspill.tasks (tenant, project, parent, closed) where parent is not null;
create index tasks_by_lease on overspill.tasks (tenant, project, lease) where lease is not null;
create view overspill.facets with (security_invoker = true) as
    select number, status, priority, type, phase, parent, assignee, chr(30) || labels || chr(30) as labels, closed,
        place, begun, updated, changed, archived from overspill.tasks;

create table overspill.labels (
    task bigint not null, label text collate "C" not null,
    tenant text collate "C" not null default overspill.tenant(),
    project text collate "C" not null default overspill.project(),
    primary key (tenant, project, task, label),
    foreign key (tenant, project, task) references overspill.tasks deferrable
);
create table overspill.dependencies (
    task bigint not null, needs bigint not null,
    tenant text collate "C" not null default overspill.tenant(),
    project text collate "C" not null default overspill.project(),
    primary key (tenant, project, task, needs),
    foreign key (tenant, project, task) references overspill.tasks deferrable,
    foreign key (tenant, project, needs) references overspill.tasks deferrable
);
create index dependencies_by_needs on overspill.dependencies (tenant, project, needs, task);
create table overspill.counters (
    name text collate "C" not null, value bigint not null,
    tenant text collate "C" not null default overspill.tenant(),
    project text collate "C" not null default overspill.project(),
    primary key (tenant, project, name)
);
create table overspill.sessions (
    id text collate "C" not null, name text collate "C", scope text collate "C", focus bigint, notes text collate "C",
    tenant text collate "C" not null default overspill.tenant(),
    project text collate "C" not null default overspill.project(),
    primary key (tenant, project, id),
    foreign key (tenant, project, focus) references overspill.tasks deferrable
);
create table overspill.focus_history (
    session text collate "C" not null, task bigint not null, since text collate "C" not null,
    rowid bigint generated always as identity primary key,
    tenant text collate "C" not null default overspill.tenant(),
    project text collate "C" not null default overspill.project(),
    foreign key (tenant, project, task) references overspill.tasks deferrable
);
create index focus_history_by_session on overspill.focus_history (tenant, project, session, rowid);
create table overspill.changes (
    number bigint not null, uid text collate "C" not null, field text collate "C" not null,
    part text collate "C" not null default '', before text collate "C", after text collate "C",
    stamp bigint not null, who text collate "C" not null default '',
    tenant text collate "C" not null default overspill.tenant(),
    project text collate "C" not null default overspill.project(),
    primary key (tenant, project, number)
);
create index changes_of on overspill.changes (tenant, project, uid, number);
create table overspill.deleted (
    uid text collate "C" not null, task bigint not null, stamp bigint not null, who text collate "C" not null,
    tenant text collate "C" not null default overspill.tenant(),
    project text collate "C" not null default overspill.project(),
    primary key (tenant, project, uid)
);

-- Which words tasks have: rows, because a policy lets plain comparisons alone be looked up in an index.
create table overspill.words (
    task bigint not null, in_title boolean not null, word text collate "C" not null,
    tenant text collate "C" not null default overspill.tenant(),
    project text collate "C" not null default overspill.project(),
    primary key (tenant, project, word, in_title, task),
    foreign key (tenant, project, task) references overspill.tasks on delete cascade on update cascade deferrable
);
create index words_by_task on overspill.words (tenant, project, task);
-- Words that may be meant by slips, by each three letters of them.
create table overspill.slips (
    part text collate "C" not null, word text collate "C" not null,
    tenant text collate "C" not null default overspill.tenant(),
    project text collate "C" not null default overspill.project(),
    primary key (tenant, project, part, word)
);

-- A connection sees the rows of its own tenant, and of one project of it, and none besides.
do $$ declare one text; own text := '(tenant = (select overspill.tenant()) and project = (select overspill.project()))';
begin
    foreach one in array array[
        'tasks', 'labels', 'dependencies', 'counters', 'sessions', 'focus_history', 'changes', 'deleted', 'words', 'slips'
    ] loop
        execute format('alter table overspill.%I enable row level security', one);
        execute format('alter table overspill.%I force row level security', one);
        execute format('create policy own_rows on overspill.%I using %s with check %s', one, own, own);
    end loop;
end $$;
