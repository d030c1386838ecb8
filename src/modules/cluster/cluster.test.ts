import { availableParallelism, hostname } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import { uuidv7 } from '@/lib/uuid';
import { thisNode } from '@/server/cluster/this-node';
import { env } from '@/server/settings/env';
import { db } from '@/test/database';
import { makeNode } from '@/test/factories';
import { client, expectError, keyClient } from '@/test/rest';
import { joinCluster } from './heartbeat';

const api = await keyClient();

afterEach(async () => {
  thisNode().isDraining = false;
  await db.clusterNode.deleteMany();
});

describe('an instance', () => {
  it('is listed while it runs, and no longer once it has stopped', async () => {
    const leave = await joinCluster(db, ['web', 'worker']);
    const { data } = await api.get('/cluster/nodes');
    expect(data).toMatchObject([
      {
        id: thisNode().id,
        process_id: process.pid,
        port: env().port,
        roles: ['web', 'worker'],
        state: 'active',
        alive: true,
        cpus: availableParallelism(),
      },
    ]);
    expect(Math.abs(data[0].clock_ahead_ms)).toBeLessThan(10_000);
    await leave();
    expect((await api.get('/cluster/nodes')).data).toEqual([]);
  });

  it('that is draining is not ready, until it takes work again', async () => {
    const leave = await joinCluster(db, ['web', 'worker']);
    const path = `/cluster/nodes/${thisNode().id}`;
    expect((await api.patch(path, { state: 'draining' })).data).toMatchObject({ state: 'draining' });
    await expect.poll(async () => (await client().get('/health')).status).toBe(503);
    expect((await api.get('/auth/me')).status).toBe(200);
    await api.patch(path, { state: 'active' });
    await expect.poll(async () => (await client().get('/health')).status).toBe(200);
    await leave();
  });

  it('that was removed by mistake registers again at its next heartbeat', async () => {
    const leave = await joinCluster(db, ['web', 'worker']);
    await db.clusterNode.deleteMany();
    await expect.poll(() => db.clusterNode.count()).toBe(1);
    await leave();
  });

  it('without heartbeats is dead, and forgotten after a day', async () => {
    const dead = await makeNode({ isAlive: false });
    const forgotten = await makeNode({ isAlive: false });
    await db.clusterNode.update({ where: { id: forgotten.id }, data: { beatAt: new Date(Date.now() - 90_000_000) } });
    const leave = await joinCluster(db, ['web']);
    const { data } = await api.get('/cluster/nodes');
    const byId = new Map(data.map((node: { id: string; alive: boolean }) => [node.id, node.alive]));
    expect([byId.get(dead.id), byId.get(thisNode().id), byId.get(forgotten.id)]).toEqual([false, true, undefined]);
    await leave();
  });

  it('replaces the one that was killed on its host', async () => {
    const killed = await makeNode({ isAlive: false });
    await db.clusterNode.update({ where: { id: killed.id }, data: { host: hostname() } });
    const leave = await joinCluster(db, ['web', 'worker']);
    expect((await api.get('/cluster/nodes')).data).toMatchObject([{ id: thisNode().id }]);
    await leave();
  });

  it('can be removed only once it is dead', async () => {
    const [alive, dead] = [await makeNode(), await makeNode({ isAlive: false })];
    expectError(await api.delete(`/cluster/nodes/${alive.id}`), 409, 'CONFLICT');
    expect((await api.delete(`/cluster/nodes/${dead.id}`)).status).toBe(200);
    expectError(await api.delete(`/cluster/nodes/${dead.id}`), 404, 'NOT_FOUND');
  });

  it('that is dead, and a mail agent, cannot drain', async () => {
    for (const { id } of [await makeNode({ isAlive: false }), await makeNode({ roles: ['agent'] })])
      expectError(await api.patch(`/cluster/nodes/${id}`, { state: 'draining' }), 409, 'CONFLICT');
  });
});

it('what a removed instance was delivering is due immediately, and nothing of the others', async () => {
  const [dead, alive] = [await makeNode({ isAlive: false }), await makeNode()];
  const lease = (nodeId: string) => ({
    webhookId: uuidv7(),
    leaseToken: uuidv7(),
    leaseNode: nodeId,
    nextAttemptAt: new Date(Date.now() + 20_000),
    event: { create: { type: 'mail.delivered', body: '{}', bodyBytes: 2 } },
  });
  const [held, others] = [
    await db.webhookDelivery.create({ data: lease(dead.id) }),
    await db.webhookDelivery.create({ data: lease(alive.id) }),
  ];
  await api.delete(`/cluster/nodes/${dead.id}`);
  const after = await db.webhookDelivery.findUniqueOrThrow({ where: { id: held.id } });
  expect(after.leaseToken).toBeNull();
  expect(after.nextAttemptAt?.getTime()).toBeLessThanOrEqual(Date.now() + 1000);
  const untouched = await db.webhookDelivery.findUniqueOrThrow({ where: { id: others.id } });
  expect(untouched).toMatchObject({ leaseToken: others.leaseToken, nextAttemptAt: others.nextAttemptAt });
});
