'use client';

import { Menu } from '@mantine/core';
import { IconChevronDown, IconX } from '@tabler/icons-react';
import { formatMoment } from '@/lib/format';

const HOUR_MS = 3_600_000;
const SPANS = [
  { label: 'The last hour', ms: HOUR_MS },
  { label: 'The last 24 hours', ms: 24 * HOUR_MS },
  { label: 'The last 7 days', ms: 7 * 24 * HOUR_MS },
  { label: 'The last 30 days', ms: 30 * 24 * HOUR_MS },
];
type SinceFilterProps = { since: Date | null; onChange: (since: Date | null) => void };

export function SinceFilter({ since, onChange }: SinceFilterProps) {
  if (since)
    return <SetFilter name="Since" value={formatMoment(since.toISOString())} onRemove={() => onChange(null)} />;
  return (
    <Menu position="bottom-start" width={184}>
      <Menu.Target>
        <button type="button" className="token only-wide">
          Since <b>any time</b>
          <IconChevronDown size={16} stroke={1.5} aria-hidden="true" />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        {SPANS.map(({ label, ms }) => (
          <Menu.Item key={label} onClick={() => onChange(new Date(Math.floor((Date.now() - ms) / 1000) * 1000))}>
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

type SetFilterProps = { name: string; value: string; onRemove: () => void };

export function SetFilter({ name, value, onRemove }: SetFilterProps) {
  return (
    <span className="token" data-set>
      {name} <b className="clip">{value}</b>
      <button type="button" aria-label={`Remove the filter: ${name}`} onClick={onRemove}>
        <IconX size={14} stroke={1.75} />
      </button>
    </span>
  );
}
