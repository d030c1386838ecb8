import type { List } from '@/lib/lists';
import type { Alias } from './schema';

export const aliasList = {
  what: 'aliases',
  path: '/aliases',
  file: 'aliases',
  views: 'aliases',
  csv: ['address', 'destination', 'active'],
} satisfies List<Alias>;
