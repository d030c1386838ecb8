import { adminProcedure, authedProcedure } from '@/server/procedures/trpc';
import { rest } from '@/server/rest/meta';
import { ActivateDkim, DkimKey, DkimKeyPage, ListDkimKeys, RotateDkim } from './schema';
import { activateDkim, listDkimKeys, rotateDkim } from './service';

const tag = 'Domains';

export const dkimProcedures = {
  dkimKeys: authedProcedure(ListDkimKeys)
    .meta(
      rest('GET', '/domains/{id}/dkim', {
        tag,
        summary: 'List the DKIM keys of a domain',
        description: 'A new domain has an active key. Private keys are never returned.',
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
        summary: 'Rotate the DKIM key of a domain',
        description:
          'Creates a pending key. Publish its DNS record, then activate the key. A domain can have one pending key.',
        audit: 'domain.rotate_dkim',
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
        summary: 'Activate a DKIM key',
        description:
          'Signs with a pending or retired key and retires the active one. Keep the DNS record of the retired key for a ' +
          'week, because messages it signed may still be in transit.',
        audit: 'domain.activate_dkim',
        isOpenToScopedKeys: true,
        errors: { 404: ['NOT_FOUND'], 409: ['CONFLICT'] },
      }),
    )
    .output(DkimKey)
    .mutation(({ ctx, input }) => activateDkim(ctx, input)),
};
