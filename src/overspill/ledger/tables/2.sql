    alter table tasks add column uid text not null default '';           -- its name on every machine
    alter table tasks add column maker text not null default '';         -- who added it
    alter table tasks add column begun integer not null default 0;       -- when, in milliseconds
    alter table tasks add column updated integer not null default 0;     -- when it was changed last
    alter table tasks add column first integer not null default 0;       -- the change that brought it here
    alter table tasks add column changed integer not null default 0;     -- the last change to it
    alter table tasks add column assignee text;
    alter table tasks add column lease integer;                          -- until when it is claimed; null is for good
    alter table tasks add column reason text;
    alter table tasks add column labels text;
    alter table tasks add column closed integer generated always as (status in ('done', 'cancelled')) virtual;
    alter table tasks add column place integer generated always as (     -- open work by its priority, then the rest
        case when status in ('done', 'cancelled') then 9 else
        case priority when 'critical' then 0 when 'high' then 1 when 'medium' then 2 else 3 end end) virtual;
    alter table tasks add column body text generated always as (
        coalesce(labels, '') || char(30) || coalesce(description, '') || char(30) || coalesce(notes, '')
        || char(30) || coalesce(acceptance, '') || char(30) || coalesce(files, '')
        || char(30) || coalesce(verification, '') || char(30) || coalesce(reason, '')) virtual;

    -- What happened to tasks: what a field was and is, or, of a list, which part came (before is null) or went.
    -- `number` counts what happened here; `stamp` is the moment, in milliseconds, on whatever machine it was done.
    create table changes (
        number integer primary key, uid text not null, field text not null, part text not null default '',
        before text, after text, stamp integer not null, who text not null default ''
    ) strict;
    create index changes_of on changes (uid, number);
    create table deleted (
        uid text primary key, task integer not null, stamp integer not null, who text not null
    ) strict, without rowid;

    drop index tasks_live;
    drop index tasks_archived;
    drop index tasks_by_status;
    create index tasks_by_place on tasks (place, begun, number, archived, changed, status, priority, type, phase,
        parent, updated) where archived is null;
    create index tasks_by_state on tasks (closed, number, archived, changed, status, priority, type, phase, parent,
        updated) where archived is null;
    create index tasks_live on tasks (number, archived, changed, status, priority, type, phase, parent, updated)
        where archived is null;
    create index tasks_by_status on tasks (status, closed, number, archived, changed) where archived is null;
    create index tasks_by_turn on tasks (status, place, begun, number, archived, changed, parent)
        where archived is null;
    create index tasks_by_update on tasks (-updated, number, archived, changed, status, priority, type, phase, parent,
        updated) where archived is null;
    create index tasks_by_age on tasks (-begun, number, archived, changed, status, priority, type, phase, parent,
        updated) where archived is null;
    create index tasks_archived on tasks (-archived, number, archived, changed) where archived is not null;
    create index tasks_open_parts on tasks (parent) where parent is not null and status not in ('done', 'cancelled');
    create index tasks_by_change on tasks (changed);
    create index tasks_by_lease on tasks (lease) where lease is not null;

    drop trigger tasks_added;
    drop trigger tasks_changed;
    drop table search;
    drop table search_shelf;
    drop view live;
    drop view shelf;

    update tasks set
        uid = 'v1-' || number || '-' || unixepoch(created) || '-' || lower(hex(substr(title, 1, 8))),
        begun = 1000 * unixepoch(created),
        updated = 1000 * unixepoch(coalesce(archived_at, completed, created)),
        labels = (select group_concat(label, char(30)) from
            (select label from labels where task = tasks.number order by label)),
        said = case when status = 'blocked' and said = 'active' then 'pending' else said end;
    create unique index tasks_by_uid on tasks (uid);
    insert into changes (uid, field, part, after, stamp)
        with recursive note(uid, begun, place, text, rest) as (
            select uid, begun, 0, null, notes || char(30) from tasks where notes is not null
            union all
            select uid, begun, place + 1, substr(rest, 1, instr(rest, char(30)) - 1),
                substr(rest, instr(rest, char(30)) + 1) from note where rest <> ''
        )
        select uid, 'notes', begun || '.' || place, text, begun + place from note where text is not null
            order by uid, place;
    delete from counters where name = 'archived';
    insert into counters values ('number', (select coalesce(max(number), 0) from tasks));
    insert into counters values ('clock', (select coalesce(max(updated), 0) from tasks));

    create view live as select number, 'T' || number as id, title, body from tasks where archived is null;
    create view shelf as select number, 'T' || number as id, title, body from tasks where archived is not null;
    create virtual table search using fts5 (
        id, title, body, content='live', content_rowid='number', detail=column,
        tokenize='unicode61 remove_diacritics 2', prefix='1 2 3 4 5 6'
    );
    create virtual table search_shelf using fts5 (
        id, title, body, content='shelf', content_rowid='number', detail=column,
        tokenize='unicode61 remove_diacritics 2', prefix='1 2 3 4 5 6'
    );
    create trigger tasks_added after insert on tasks begin
        insert into search (rowid, id, title, body) values (new.number, 'T' || new.number, new.title, new.body);
    end;
    create trigger tasks_deleted after delete on tasks begin
        insert into search (search, rowid, id, title, body)
            select 'delete', old.number, 'T' || old.number, old.title, old.body where old.archived is null;
        insert into search_shelf (search_shelf, rowid, id, title, body)
            select 'delete', old.number, 'T' || old.number, old.title, old.body where old.archived is not null;
    end;
    create trigger tasks_changed after update of
        number, title, labels, description, notes, acceptance, files, verification, reason, archived on tasks
    begin
        insert into search (search, rowid, id, title, body)
            select 'delete', old.number, 'T' || old.number, old.title, old.body where old.archived is null;
        insert into search_shelf (search_shelf, rowid, id, title, body)
            select 'delete', old.number, 'T' || old.number, old.title, old.body where old.archived is not null;
        insert into search (rowid, id, title, body)
            select new.number, 'T' || new.number, new.title, new.body where new.archived is null;
        insert into search_shelf (rowid, id, title, body)
            select new.number, 'T' || new.number, new.title, new.body where new.archived is not null;
    end;

    insert into search (search) values ('rebuild');
    insert into search_shelf (search_shelf) values ('rebuild');
