import { ifUnchanged } from '@/components/api/if-unchanged';
import type { trpc } from '@/components/api/trpc';
import type { Role } from '@/lib/access/roles';
import type { RecordFields } from '@/lib/changes/record-changes';
import type { Versioned } from '@/lib/record-version';
import type { RestorableKind } from './restored-values';

type Utils = ReturnType<typeof trpc.useUtils>;

type Loaded = {
  record: RecordFields;
  /** Saves values if the record still is as it was loaded. */
  save: (values: object) => Promise<unknown>;
};

type RestorableRecord = {
  /** The role that changes such a record. */
  role: Role;
  /** The module whose queries show it. */
  module: keyof Utils;
  load: (utils: Utils, id: string) => Promise<Loaded>;
  refresh: (utils: Utils) => Promise<unknown>;
};

type Calls<Kind extends RestorableKind> = Omit<RestorableRecord, 'load'> & {
  get: (client: Utils['client'], input: { id: string }) => Promise<Versioned<Kind>>;
  /** The call that every other change makes, with all its checks. */
  update: (client: Utils['client'], input: { id: string }) => Promise<unknown>;
};

function restorable<Kind extends RestorableKind>(kind: Kind, { get, update, ...rest }: Calls<Kind>): RestorableRecord {
  return {
    ...rest,
    load: async ({ client }, id) => {
      const record = await get(client, { id });
      return { record, save: (values) => update(client, ifUnchanged(kind, record, { id, ...values })) };
    },
  };
}

/** How the records whose values can be restored are read and changed. */
export const RECORDS: Record<RestorableKind, RestorableRecord> = {
  abuse_threshold: {
    role: 'super_admin',
    module: 'abuse',
    load: async ({ client }) => {
      const record = await client.abuse.thresholds.query({});
      const save = (values: object) =>
        client.abuse.updateThresholds.mutate(ifUnchanged('abuse_threshold', record, values));
      return { record, save };
    },
    refresh: ({ abuse }) => abuse.invalidate(),
  },
  admin: restorable('admin', {
    role: 'super_admin',
    module: 'admins',
    get: ({ admins }, input) => admins.get.query(input),
    update: ({ admins }, input) => admins.update.mutate(input),
    refresh: ({ admins }) => admins.invalidate(),
  }),
  alias: restorable('alias', {
    role: 'domain_admin',
    module: 'aliases',
    get: ({ aliases }, input) => aliases.get.query(input),
    update: ({ aliases }, input) => aliases.update.mutate(input),
    refresh: ({ aliases }) => aliases.invalidate(),
  }),
  domain: restorable('domain', {
    role: 'admin',
    module: 'domains',
    get: ({ domains }, input) => domains.get.query(input),
    update: ({ domains }, input) => domains.update.mutate(input),
    refresh: ({ domains }) => domains.invalidate(),
  }),
  mailbox: restorable('mailbox', {
    role: 'domain_admin',
    module: 'mailboxes',
    get: ({ mailboxes }, input) => mailboxes.get.query(input),
    update: ({ mailboxes }, input) => mailboxes.update.mutate(input),
    refresh: ({ mailboxes, aliases }) => Promise.all([mailboxes.invalidate(), aliases.invalidate()]),
  }),
  sieve_filter: restorable('sieve_filter', {
    role: 'domain_admin',
    module: 'sieveFilters',
    get: ({ sieveFilters }, input) => sieveFilters.get.query(input),
    update: ({ sieveFilters }, input) => sieveFilters.update.mutate(input),
    refresh: ({ sieveFilters }) => sieveFilters.invalidate(),
  }),
  webhook: restorable('webhook', {
    role: 'admin',
    module: 'webhooks',
    get: ({ webhooks }, input) => webhooks.get.query(input),
    update: ({ webhooks }, input) => webhooks.update.mutate(input),
    refresh: ({ webhooks }) => webhooks.invalidate(),
  }),
};
