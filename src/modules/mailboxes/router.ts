import { ById, Confirmation } from '@/lib/wire';
import { listProcedures } from '@/server/list/list-procedures';
import { adminProcedure, authedProcedure, router } from '@/server/procedures/trpc';
import { versioned } from '@/server/procedures/versions';
import { restOf } from '@/server/rest/meta';
import { ImportMailboxes, MailboxImportReport } from './import/schema';
import { importMailboxes } from './import/service';
import { mailboxList } from './lists';
import {
  ClientSettings,
  CreateMailbox,
  GetSentLately,
  Mailbox,
  MailboxFilters,
  MailboxSignIns,
  SentLately,
  SuspendMailbox,
  UnsuspendMailbox,
  UpdateMailbox,
} from './schema';
import { getSentLately, listSignIns } from './sent-lately';
import { createMailbox, deleteMailbox, getClientSettings, getMailbox, listMailboxes, updateMailbox } from './service';
import { suspendMailbox, unsuspendMailbox } from './suspension';

const tag = 'Mailboxes';
const rest = restOf(tag);
const record = versioned('mailbox', getMailbox);
const isOpenToScopedKeys = true;

const mailboxes = listProcedures(mailboxList, {
  procedure: authedProcedure,
  item: Mailbox,
  filters: MailboxFilters,
  find: listMailboxes,
  tag,
  isOpenToScopedKeys,
});

export const mailboxesRouter = router({
  list: mailboxes.list,

  create: authedProcedure(CreateMailbox)
    .meta(
      rest('POST', '/mailboxes', {
        summary: 'Create a mailbox',
        status: 201,
        audit: 'mailbox.create',
        confirmation: null,
        isOpenToScopedKeys,
        errors: { 403: ['DOMAIN_INACTIVE'], 409: ['CONFLICT'] },
      }),
    )
    .output(Mailbox)
    .mutation(({ ctx, input }) => createMailbox(ctx, input)),

  import: authedProcedure(ImportMailboxes)
    .meta(
      rest('POST', '/mailboxes/import', {
        summary: 'Import mailboxes from CSV',
        description:
          'Each line is checked separately, and a line that fails does not affect the others. Runs in steps of 50 lines. With ' +
          '`dry_run`, nothing changes. Generated passwords are returned once.',
        audit: 'mailbox.import',
        confirmation: null,
        isOpenToScopedKeys,
        errors: { 403: ['DOMAIN_INACTIVE'], 409: ['CONFLICT'] },
      }),
    )
    .output(MailboxImportReport)
    .mutation(({ ctx, input }) => importMailboxes(ctx, input)),

  export: mailboxes.export,

  get: authedProcedure(ById)
    .meta(
      rest('GET', '/mailboxes/{id}', {
        versioned: record,
        summary: 'Get a mailbox',
        isOpenToScopedKeys,
      }),
    )
    .output(Mailbox)
    .query(({ ctx, input }) => getMailbox(ctx, input)),

  clientSettings: authedProcedure(ById)
    .meta(
      rest('GET', '/mailboxes/{id}/client-settings', {
        summary: 'Get the settings for mail programs',
        isOpenToScopedKeys,
      }),
    )
    .output(ClientSettings)
    .query(({ ctx, input }) => getClientSettings(ctx, input)),

  sentLately: authedProcedure(GetSentLately)
    .meta(
      rest('GET', '/mailboxes/{id}/sent', {
        summary: 'Get recent sending of a mailbox',
        description:
          'How much, to which domains and from where: what to look at if its password may be known to others.',
        isOpenToScopedKeys,
      }),
    )
    .output(SentLately)
    .query(({ ctx, input }) => getSentLately(ctx, input)),

  signIns: authedProcedure(ById)
    .meta(
      rest('GET', '/mailboxes/{id}/sign-ins', {
        summary: 'List the sign-ins of a mailbox',
        description: 'From where mail programs signed in, also those that only read mail.',
        isOpenToScopedKeys,
      }),
    )
    .output(MailboxSignIns)
    .query(({ ctx, input }) => listSignIns(ctx, input)),

  update: authedProcedure(UpdateMailbox)
    .meta(
      rest('PATCH', '/mailboxes/{id}', {
        versioned: record,
        summary: 'Update a mailbox',
        description: 'Changes only the supplied fields. A new password takes effect immediately.',
        audit: 'mailbox.update',
        confirmation: 'Changes the password, the state or the limits of a mailbox.',
        isOpenToScopedKeys,
      }),
    )
    .output(Mailbox)
    .mutation(({ ctx, input }) => updateMailbox(ctx, input)),

  delete: authedProcedure(ById)
    .meta(
      rest('DELETE', '/mailboxes/{id}', {
        versioned: record,
        summary: 'Delete a mailbox',
        audit: 'mailbox.delete',
        isOpenToScopedKeys,
        errors: { 409: ['CONFLICT'] },
      }),
    )
    .output(Confirmation)
    .mutation(({ ctx, input }) => deleteMailbox(ctx, input)),

  suspend: adminProcedure(SuspendMailbox)
    .meta(
      rest('POST', '/mailboxes/{id}/suspend', {
        summary: 'Suspend a mailbox',
        description: 'Takes effect immediately. A suspended mailbox can’t send but still receives mail.',
        audit: 'mailbox.suspend',
        confirmation: 'The mailbox can’t send until it is unsuspended.',
        isOpenToScopedKeys,
        errors: { 409: ['CONFLICT'] },
      }),
    )
    .output(Mailbox)
    .mutation(({ ctx, input }) => suspendMailbox(ctx, input)),

  unsuspend: adminProcedure(UnsuspendMailbox)
    .meta(
      rest('POST', '/mailboxes/{id}/unsuspend', {
        summary: 'Unsuspend a mailbox',
        description: 'Takes effect immediately and resets the hourly count.',
        audit: 'mailbox.unsuspend',
        confirmation: null,
        isOpenToScopedKeys,
        errors: { 409: ['CONFLICT'] },
      }),
    )
    .output(Mailbox)
    .mutation(({ ctx, input }) => unsuspendMailbox(ctx, input)),
});
