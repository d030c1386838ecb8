import { rest } from '@/server/rest/meta';
import { adminProcedure, authedProcedure } from '@/server/trpc';
import { ActivateDkim, DkimKey, DkimKeyPage, ListDkimKeys, RotateDkim } from './schema';
import { activateDkim, listDkimKeys, rotateDkim } from './service';

const tag = 'Domains';

export const dkimProcedures = {
  dkimKeys: authedProcedure(ListDkimKeys)
    .meta(
      rest('GET', '/domains/{id}/dkim', {
        tag,
        summary: 'List the DKIM keys of a domain',
        description: 'A new domain has an active key. The private part of a key is never given.',
        isPaginated: true,
        isOpenToScopedKeys: true,
        errors: { 404: ['NOT_FOUND'] },
      }),
    )
    .output(DkimKeyPage)
    .query(({ ctx, input }) => listDkimKeys(ctx, input)),

  rotateDkim: adminProcedure(RotateDkim)
    .meta(
      rest('POST', '/domains/{id}/dkim/rotate', {
        tag,
        summary: 'Make a new DKIM key',
        description:
          'It is pending: publish its record, and activate it once receivers find that. One key may be pending at a time.',
        audit: 'domain.rotate_dkim',
        transaction: 'manual',
        isOpenToScopedKeys: true,
        errors: { 404: ['NOT_FOUND'], 409: ['CONFLICT'] },
      }),
    )
    .output(DkimKey)
    .mutation(({ ctx, input }) => rotateDkim(ctx, input)),

  activateDkim: adminProcedure(ActivateDkim)
    .meta(
      rest('POST', '/domains/{id}/dkim/{selector}/activate', {
        tag,
        summary: 'Sign with a DKIM key',
        description:
          'The pending key, or a retired one. The active one is retired; leave its record published for a week, since ' +
          'what it signed may still be under way.',
        audit: 'domain.activate_dkim',
        isOpenToScopedKeys: true,
        errors: { 404: ['NOT_FOUND'], 409: ['CONFLICT'] },
      }),
    )
    .output(DkimKey)
    .mutation(({ ctx, input }) => activateDkim(ctx, input)),
};
