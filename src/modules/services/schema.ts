import { z } from 'zod';
import { addressError, parseAddress } from '@/lib/mail/address';
import {
  CONFIGURED_SERVICES,
  CUSTOM_FILES,
  LINE_KINDS,
  MAIL_SERVICES,
  OPERATION_ACTIONS,
  RELAY_TLS,
  RESTORE_MODES,
  SERVICE_ACTIONS,
  SERVICE_OPERATIONS,
} from '@/lib/mail/operations';
import { Id, Timestamp } from '@/lib/wire';
import { ClusterNode } from '@/modules/cluster/schema';
import { MailServerState } from '@/modules/mail-server/schema';

const MAX_HOST_LENGTH = 253;

const Action = z.enum(SERVICE_OPERATIONS).meta({
  description:
    'reload: read the configuration again; restart: stop and start; apply_config: generate the configuration from the settings file, check and apply it, and roll back if a service does not respond; rebuild_maps: store DKIM keys again, delete compiled filters and reload Postfix; renew_certificates: get a new certificate by ACME if it is due, and serve the one in its file',
});

const OperationState = z.enum(['queued', 'running', 'succeeded', 'failed', 'rolled_back', 'interrupted']).meta({
  description:
    'queued: the agent has not started it; failed: nothing was changed, or `message` says what is wrong now; rolled_back: a service did not respond, and the former configuration is in place again; interrupted: the agent stopped meanwhile',
});

const Host = z.string().min(1).max(MAX_HOST_LENGTH).meta({ description: 'The mail server’s host name' });

export const Operation = z
  .object({
    id: Id,
    host: Host,
    action: z.enum(OPERATION_ACTIONS).meta({
      description: 'set_relay: see /orchestrator/relay; backup_mail, restore_mail and check_mail: see /backups/mail',
    }),
    service: z.enum(MAIL_SERVICES).nullable().meta({ description: 'Null for all services' }),
    dry_run: z.boolean(),
    input: z
      .object({ snapshot: z.string(), mailbox: z.string(), mode: z.enum(RESTORE_MODES) })
      .nullable()
      .meta({ description: 'What restore_mail restores; null for other actions' }),
    state: OperationState,
    message: z.string().nullable().meta({ description: 'What happened. Null until it is finished' }),
    requested_by: z.object({ id: Id, email: z.string() }).nullable().meta({ description: 'Null for the schedule' }),
    created_at: Timestamp,
    started_at: Timestamp.nullable(),
    finished_at: Timestamp.nullable(),
  })
  .meta({ id: 'Operation' });
export type Operation = z.infer<typeof Operation>;

export const OutputLine = z.object({
  number: z.number().int(),
  at: Timestamp,
  kind: z.enum(LINE_KINDS).meta({
    description: 'step: what the agent does; output: what a program prints; error: what is wrong; diff: what changes',
  }),
  text: z.string(),
});
export type OutputLine = z.infer<typeof OutputLine>;

export const OperationDetails = Operation.extend({
  output: z.array(OutputLine).meta({ description: 'The lines after `after`, without secrets' }),
}).meta({ id: 'OperationDetails' });
export type OperationDetails = z.infer<typeof OperationDetails>;

export const GetOperation = z.strictObject({
  id: Id,
  after: z
    .number()
    .int()
    .min(0)
    .max(1_000_000)
    .default(0)
    .meta({ description: 'The number of the last line that you have, to get only the lines after it' }),
});
export type GetOperation = z.infer<typeof GetOperation>;

export const CreateOperation = z
  .strictObject({
    action: Action,
    service: z
      .enum(MAIL_SERVICES)
      .optional()
      .meta({ description: 'For reload and restart. Without it, all services in the order of their dependencies' }),
    host: Host.optional().meta({ description: 'Needed if several mail servers are attached' }),
    dry_run: z
      .boolean()
      .default(false)
      .meta({ description: 'Shows in the output what would be done, for apply_config as a diff. Changes nothing' }),
  })
  .superRefine(({ action, service }, ctx) => {
    const refuse = (message: string) => ctx.addIssue({ code: 'custom', path: ['service'], message });
    if (service && !SERVICE_ACTIONS.includes(action)) refuse('This action is for all services. Leave out service.');
    if (service === 'redis' && action === 'reload')
      refuse('Redis reads its configuration only at start. Restart it instead.');
  });
export type CreateOperation = z.infer<typeof CreateOperation>;

export const MailServiceStatus = z
  .object({
    host: Host,
    service: z.enum(CONFIGURED_SERVICES).meta({ description: 'agent: the mail agent itself' }),
    state: z.enum(['running', 'not_responding', 'stopped', 'unknown']).meta({
      description: 'not_responding: it runs, but refuses clients; unknown: the mail agent does not report',
    }),
    since: Timestamp.meta({ description: 'Since when it has this state' }),
    message: z.string().meta({ description: 'Why it does not respond; else empty' }),
    version: z.string().nullable(),
    process_id: z.number().int().nullable(),
    started_at: Timestamp.nullable(),
    uptime_seconds: z.number().int().nullable(),
    drift: z
      .array(z.object({ path: z.string(), kind: z.enum(['changed', 'missing', 'extra']) }))
      .nullable()
      .meta({
        description:
          'Files of its configuration that are not as the settings file generates them. extra: not generated at all. Null if the settings file has errors',
      }),
    drift_message: z.string().meta({ description: 'What is wrong with the settings file; else empty' }),
    custom: z.array(z.enum(CUSTOM_FILES)).meta({
      description:
        'Your own files in the folder `custom` of the mail server’s configuration that are part of this one. They are no drift',
    }),
    last_operation: Operation.pick({ id: true, action: true, state: true, finished_at: true }).nullable(),
    checked_at: Timestamp,
  })
  .meta({ id: 'MailServiceStatus' });
export type MailServiceStatus = z.infer<typeof MailServiceStatus>;

export const Relay = z
  .object({
    host: Host,
    destination: z.string().meta({ description: 'RELAY_HOST' }),
    user: z.string().nullable().meta({ description: 'Null if the relay wants none. The password is never returned' }),
    tls: z.enum(RELAY_TLS).meta({
      description:
        'may: if the relay offers it; encrypt: always; secure: with a certificate that is valid for its name',
    }),
    tls_from_start: z.boolean().meta({ description: 'Without STARTTLS, as on port 465' }),
    spf: z.string().nullable().meta({ description: 'RELAY_SPF: the name that DNS checks want SPF records to include' }),
  })
  .meta({ id: 'Relay' });
export type Relay = z.infer<typeof Relay>;

export const Orchestrator = z
  .object({
    mail_server: MailServerState.meta({
      description: 'none: no agent was ever attached; silent: the agent is not responding',
    }),
    services: z.array(MailServiceStatus).meta({ description: 'Empty while no mail server is attached' }),
    relays: z.array(Relay).meta({
      description: 'The servers that attached mail servers send through, as Postfix uses them now, if they use one',
    }),
    instances: z.array(ClusterNode).meta({ description: 'The app’s instances' }),
    running: Operation.nullable().meta({
      description: 'The operation on the services that is queued or running. Those on backups are separate',
    }),
  })
  .meta({ id: 'Orchestrator' });
export type Orchestrator = z.infer<typeof Orchestrator>;

const PlainAddress = z
  .string()
  .refine((text) => parseAddress(text) !== null, { error: ({ input }) => addressError(input) })
  .transform((text) => parseAddress(text)?.address ?? text);

export const TestRelay = z
  .strictObject({
    from: PlainAddress.optional().meta({ description: 'A sender that the relay is asked to accept' }),
    to: PlainAddress.optional().meta({ description: 'A recipient that the relay is asked to accept. It gets no mail' }),
  })
  .refine(({ from, to }) => from !== undefined || to === undefined, {
    path: ['from'],
    error: 'Enter a sender, too. Relays want to know it before the recipient.',
  });
export type TestRelay = z.infer<typeof TestRelay>;

/** Other readers of the settings file, such as systemd, would continue such a value in the next line. */
const endsInItsLine = (text: string) => !/^["'`]|\\$/.test(text);
const UNENDING = 'It can’t begin with a quote or end with a backslash.';
const RELAY_HOST = /^\[?[\w.:-]+\]?(:\d+)?$/;

export const SetRelay = z.strictObject({
  host: Host.optional().meta({ description: 'The mail server. Needed if several are attached' }),
  relay: z
    .strictObject({
      destination: z
        .string()
        .max(MAX_HOST_LENGTH + 10)
        .regex(RELAY_HOST, 'Enter a host like [smtp.example.net]:587.')
        .meta({ description: 'Without brackets, the MX of the name is used. Port 465 uses TLS from the start' }),
      user: z
        .string()
        .regex(/^[\x21-\x39\x3b-\x7e]{1,256}$/, 'Enter at most 256 characters of ASCII, without spaces and colons.')
        .refine(endsInItsLine, UNENDING)
        .nullish(),
      password: z
        .string()
        .regex(/^[\x21-\x7e]{1,256}$/, 'Enter at most 256 characters of ASCII, without spaces.')
        .refine(endsInItsLine, UNENDING)
        .nullish()
        .meta({
          description:
            'Without it, that of the settings file stays, for the same server and user and at least as much TLS. It is never returned',
        }),
      tls: z
        .enum(RELAY_TLS)
        .nullish()
        .meta({ description: 'Without it, `encrypt` with a user or port 465, and `may` otherwise' }),
    })
    .superRefine(({ destination, user, password, tls }, ctx) => {
      const refuse = (path: string, message: string) => ctx.addIssue({ code: 'custom', path: [path], message });
      if (password && !user) refuse('user', 'Enter the user of this password.');
      if (user && tls === 'may') refuse('tls', 'A password needs TLS. Choose another one.');
      else if (destination.endsWith(':465') && tls === 'may') refuse('tls', 'Port 465 needs TLS. Choose another one.');
    })
    .nullable()
    .meta({ description: 'Null to send to the recipients’ servers directly' }),
});
export type SetRelay = z.infer<typeof SetRelay>;

export const RelayTest = z
  .object({
    host: Host,
    outcome: z.enum(['accepted', 'unreachable', 'tls', 'credentials', 'refused', 'sender', 'recipient']).meta({
      description:
        'unreachable: the host or its port; tls: it offers none, or its certificate is not valid; credentials: it rejects the user or the password, or wants them; refused: it refuses this server; sender, recipient: it refuses that address',
    }),
    message: z.string().meta({ description: 'What the outcome means, in one sentence, and what to do' }),
    lines: z
      .array(z.object({ kind: z.enum(['note', 'sent', 'received']), text: z.string() }))
      .meta({ description: 'The conversation with the relay, without the password' }),
  })
  .meta({ id: 'RelayTest' });
export type RelayTest = z.infer<typeof RelayTest>;
