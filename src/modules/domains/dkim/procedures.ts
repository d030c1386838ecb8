import { Confirmation } from '@/lib/wire';
import { listProcedure } from '@/server/list/list-procedures';
import { adminProcedure, authedProcedure } from '@/server/procedures/trpc';
import { restOf } from '@/server/rest/meta';
import { dkimKeyList } from './lists';
import { lookUpDkim } from './lookup';
import { DkimKey, DkimKeyFilters, DkimKeyPath, DkimLookup, RotateDkim } from './schema';
import { activateDkim, discardDkim, listDkimKeys, rotateDkim } from './service';

const tag = 'Domains';
const rest = restOf(tag);

export const dkimProcedures = {
  dkimKeys: listProcedure(dkimKeyList, {
    procedure: authedProcedure,
    item: DkimKey,
    filters: DkimKeyFilters,
    find: listDkimKeys,
    tag,
    description: 'A new domain has an active key. Private keys are never returned.',
    isOpenToScopedKeys: true,
  }),

  rotateDkim: adminProcedure(RotateDkim)
    .meta(
      rest('POST', '/domains/{id}/dkim/rotate', {
        summary: 'Rotate the DKIM key of a domain',
        description:
          'Creates a pending key. Publish its DNS record, then activate the key. A domain can have one pending key.',
        audit: 'domain.rotate_dkim',
        confirmation: 'Creates a new key, with which mail of the domain is signed after its activation.',
        isOpenToScopedKeys: true,
        errors: { 409: ['CONFLICT'] },
      }),
    )
    .output(DkimKey)
    .mutation(({ ctx, input }) => rotateDkim(ctx, input)),

  activateDkim: adminProcedure(DkimKeyPath)
    .meta(
      rest('POST', '/domains/{id}/dkim/{selector}/activate', {
        summary: 'Activate a DKIM key',
        description:
          'Signs with a pending or retired key and retires the active one. Check before that its record is published, with ' +
          '`GET /domains/{id}/dkim/{selector}/dns`. Keep the DNS record of the retired key for a ' +
          'week, because messages it signed may still be in transit. The call returns once the mail server signs with the key; ' +
          'after 3 seconds without that, `published_at` is null.',
        audit: 'domain.activate_dkim',
        confirmation: 'Signs all mail of the domain with this key.',
        isOpenToScopedKeys: true,
        errors: { 409: ['CONFLICT'] },
      }),
    )
    .output(DkimKey)
    .mutation(({ ctx, input }) => activateDkim(ctx, input)),

  lookUpDkim: authedProcedure(DkimKeyPath)
    .meta(
      rest('GET', '/domains/{id}/dkim/{selector}/dns', {
        summary: 'Look up the DNS record of a DKIM key',
        isAgentRead: true,
        description:
          'Asks the resolvers and the name servers of the domain now, for up to 10 seconds. Nothing is stored.',
        isOpenToScopedKeys: true,
      }),
    )
    .output(DkimLookup)
    .query(({ ctx, input }) => lookUpDkim(ctx, input)),

  discardDkim: adminProcedure(DkimKeyPath)
    .meta(
      rest('DELETE', '/domains/{id}/dkim/{selector}', {
        summary: 'Discard a pending DKIM key',
        description: 'A key that signs or has signed can’t be discarded.',
        audit: 'domain.discard_dkim',
        isOpenToScopedKeys: true,
        errors: { 409: ['CONFLICT'] },
      }),
    )
    .output(Confirmation)
    .mutation(({ ctx, input }) => discardDkim(ctx, input)),
};
