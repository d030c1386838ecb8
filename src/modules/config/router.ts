import { z } from 'zod';
import { Empty } from '@/lib/wire';
import { listProcedure } from '@/server/list/list-procedures';
import { router, superAdminProcedure } from '@/server/procedures/trpc';
import { restOf } from '@/server/rest/meta';
import { settingChangeList } from './lists';
import { ConfigChanges, Setting, SettingChange, SettingChangeFilters, UpdateConfig } from './schema';
import { listSettingChanges, listSettings, updateConfig, versionOfSettings } from './service';

const tag = 'Configuration';
const rest = restOf(tag);
const settings = { kind: null, table: null, read: listSettings, versionOf: versionOfSettings };

export const configRouter = router({
  list: superAdminProcedure(Empty)
    .meta(
      rest('GET', '/config', {
        versioned: settings,
        summary: 'List settings',
        isReadOnPrimary: true,
        description: 'With the values in effect. Settings of the environment override saved ones.',
      }),
    )
    .output(z.array(Setting))
    .query(({ ctx }) => listSettings(ctx)),

  update: superAdminProcedure(UpdateConfig)
    .meta(
      rest('PATCH', '/config', {
        versioned: settings,
        summary: 'Change settings',
        description: 'Saves all values or none. They take effect on every instance within two seconds.',
        audit: 'config.update',
        confirmation: 'Changes settings of all instances, unless `dry_run` is true.',
        errors: { 400: ['VALIDATION_ERROR'] },
      }),
    )
    .output(ConfigChanges)
    .mutation(({ ctx, input }) => updateConfig(ctx, input)),

  history: listProcedure(settingChangeList, {
    procedure: superAdminProcedure,
    item: SettingChange,
    filters: SettingChangeFilters,
    find: listSettingChanges,
    tag,
    isReadOnPrimary: true,
    errors: { 404: ['NOT_FOUND'] },
  }),
});
