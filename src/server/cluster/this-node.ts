import { hostname } from 'node:os';
import { uuidv7 } from '@/lib/uuid';
import { processWide } from '../process-wide';
import { env } from '../settings/env';

type ThisNode = { readonly id: string; isDraining: boolean };

const shared = processWide<ThisNode>('node');

/** This process among the instances. While it is draining, it takes on no background work and is not ready. */
export function thisNode(): ThisNode {
  shared.current ??= { id: uuidv7(), isDraining: false };
  return shared.current;
}

/** Names this instance of the app in what it reports. Several on one host have different ports. */
export function instanceName(): string {
  return `${hostname()}:${env().port}`;
}
