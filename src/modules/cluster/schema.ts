import { z } from 'zod';
import { Id, Timestamp } from '@/lib/wire';

const NodeState = z.enum(['active', 'draining']);

export const ClusterNode = z
  .object({
    id: Id.meta({ description: 'Each process has its own' }),
    host: z.string(),
    process_id: z.number().int(),
    port: z
      .number()
      .int()
      .nullable()
      .meta({ description: 'Tells several instances on one host apart; null for a mail agent' }),
    version: z.string(),
    roles: z.array(z.enum(['web', 'worker', 'agent'])).meta({ description: 'agent: the mail agent on a mail host' }),
    state: NodeState.meta({
      description: 'An instance that is draining answers requests but is not ready, and takes on no background work',
    }),
    alive: z.boolean().meta({ description: 'Whether it sent a heartbeat in the last 20 seconds' }),
    load_average: z.number().meta({ description: 'Of the host, over a minute' }),
    cpus: z
      .number()
      .int()
      .nullable()
      .meta({ description: 'Of the host; null before its first heartbeat of this version' }),
    memory_bytes: z.number().int().meta({ description: 'Resident memory of the process' }),
    clock_ahead_ms: z.number().int().meta({ description: 'How far its clock is ahead of the database’s' }),
    started_at: Timestamp,
    last_heartbeat_at: Timestamp,
  })
  .meta({ id: 'ClusterNode' });
export type ClusterNode = z.infer<typeof ClusterNode>;

export const UpdateClusterNode = z.strictObject({ id: Id, state: NodeState });
export type UpdateClusterNode = z.infer<typeof UpdateClusterNode>;
