'use client';

import { Group, Input, Select, useMantineColorScheme } from '@mantine/core';
import { useIsRunning } from '@/components/document/use-is-running';
import { SegmentedControl } from '@/components/segmented-control';
import { SettingsSection } from '@/components/settings-section';
import { browserTimeZone, timeZonesWith, zoneName } from '@/lib/time/time-zone';
import classes from './appearance.module.css';

const BROWSER = 'browser';

type AppearanceProps = { zone: string | null; onZone: (zone: string | null) => void };

export function Appearance({ zone, onZone }: AppearanceProps) {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  // The server doesn't know what the browser has stored.
  const isRunning = useIsRunning();
  const own = browserTimeZone();
  const zones = isRunning ? timeZonesWith(zone ?? own).map((name) => ({ value: name, label: name })) : [];
  return (
    <SettingsSection title="Appearance" hint="The theme is kept in this browser, the time zone with your account.">
      <Group align="flex-end" gap="lg">
        <Input.Wrapper label="Theme" labelElement="div" className={classes.theme}>
          <SegmentedControl
            label="Theme"
            value={isRunning ? colorScheme : 'auto'}
            options={{ light: 'Light', dark: 'Dark', auto: 'System' }}
            onChange={setColorScheme}
          />
        </Input.Wrapper>
        <Select
          label="Time zone"
          // Until the page runs, what is typed would be lost.
          readOnly={!isRunning}
          w={264}
          searchable
          selectFirstOptionOnChange
          allowDeselect={false}
          limit={40}
          nothingFoundMessage="No matching time zone"
          data={[{ value: BROWSER, label: isRunning ? `Browser (${zoneName(own)})` : 'Browser' }, ...zones]}
          value={isRunning && zone !== null ? zone : BROWSER}
          onChange={(value) => onZone(value === BROWSER ? null : value)}
        />
      </Group>
    </SettingsSection>
  );
}
