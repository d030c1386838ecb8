import { describe, expect, it } from 'vitest';
import { db } from '@/test/database';
import { makeSession } from '@/test/factories';
import { client, expectError, keyClient, sessionClient } from '@/test/rest';

describe('the time zone of an admin', () => {
  it('is that of the browser until it is chosen, and then follows to other sessions', async () => {
    const api = await sessionClient({ role: 'domain_admin' });
    const stranger = await keyClient();
    expect((await api.get('/auth/me')).data.time_zone).toBeNull();
    const { data } = await api.patch('/auth/me', { time_zone: 'Asia/Kathmandu' });
    expect(data).toMatchObject({ id: api.admin.id, time_zone: 'Asia/Kathmandu' });
    const { cookie } = await makeSession(api.admin.id);
    expect((await client({ cookie }).get('/auth/me')).data).toEqual(data);
    expect((await stranger.get('/auth/me')).data.time_zone).toBeNull();

    expect((await api.patch('/auth/me', { time_zone: null })).data.time_zone).toBeNull();
    expect(await db.admin.findUnique({ where: { id: api.admin.id } })).toMatchObject({ timeZone: null });
    const where = { resource: `admin:${api.admin.id}`, action: 'admin.update_profile' };
    const entries = await db.auditEntry.findMany({ where, orderBy: { id: 'asc' } });
    expect(entries.map(({ details }) => details)).toMatchObject([
      { before: { time_zone: null }, after: { time_zone: 'Asia/Kathmandu' } },
      { before: { time_zone: 'Asia/Kathmandu' }, after: { time_zone: null } },
    ]);
  });

  it.each(['Middle/Earth', '+01:00', 'Europe/Berlin\n', '../etc', 'x'.repeat(65), 5])(
    'is never %j',
    async (time_zone) => {
      const api = await keyClient();
      const { error } = expectError(await api.patch('/auth/me', { time_zone }), 400, 'VALIDATION_ERROR');
      expect(error.details.fields?.map(({ path }) => path)).toEqual(['time_zone']);
      expect((await api.get('/auth/me')).data.time_zone).toBeNull();
    },
  );

  it.each(['UTC', 'Europe/Kyiv', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5'])('can be %s', async (time_zone) => {
    const api = await keyClient();
    expect((await api.patch('/auth/me', { time_zone })).data.time_zone).toBe(time_zone);
  });
});
