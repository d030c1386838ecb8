import type { ApiList, ListInput } from '@/lib/lists';
import type { SettingChangeFilters } from './schema';

export const settingChangeList = {
  what: 'changes of a setting',
  path: '/config/{key}/history',
  sorts: ['at'],
} satisfies ApiList;
export type ListSettingChanges = ListInput<typeof settingChangeList, typeof SettingChangeFilters>;
