/** The headings of the configuration page, in their order. */
export const SETTING_GROUPS = [
  'Limits',
  'Retention',
  'Backups',
  'Monitoring',
  'DNS checks',
  'Access',
  'Mail',
  'Server',
] as const;

export type SettingGroup = (typeof SETTING_GROUPS)[number];
