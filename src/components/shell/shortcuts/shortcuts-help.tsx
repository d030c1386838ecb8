'use client';

import { Switch } from '@mantine/core';
import { DialogFields, DialogFrame } from '@/components/dialogs/dialog';
import type { Role } from '@/lib/access/roles';
import { routesFor } from '@/lib/routes';
import classes from './shortcuts-help.module.css';

const GENERAL = [
  { keys: ['Ctrl', 'K'], action: 'Open the palette' },
  { keys: ['/'], action: 'Search the list, or everything' },
  { keys: ['j'], action: 'Next row' },
  { keys: ['k'], action: 'Previous row' },
  { keys: ['Enter'], action: 'Open the row' },
  { keys: ['c'], action: 'Next value to copy' },
  { keys: ['?'], action: 'Show this help' },
];

type ShortcutsHelpProps = {
  role: Role | undefined;
  opened: boolean;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
  onClose: () => void;
};

export function ShortcutsHelp({ role, opened, isOn, onChange, onClose }: ShortcutsHelpProps) {
  const jumps = routesFor(role).flatMap(({ jump, label }) => (jump ? [{ keys: ['g', jump], action: label }] : []));
  return (
    <DialogFrame opened={opened} onClose={onClose} title="Keyboard shortcuts" size={608}>
      <DialogFields>
        <Switch
          label="Single-key shortcuts"
          description="In this browser. Ctrl K works without them, and this help is in the account menu."
          checked={isOn}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
        <Shortcuts title="Everywhere" shortcuts={GENERAL} />
        <Shortcuts title="Open a page" shortcuts={jumps} />
      </DialogFields>
    </DialogFrame>
  );
}

function Shortcuts({ title, shortcuts }: { title: string; shortcuts: typeof GENERAL }) {
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <dl className={classes.shortcuts}>
        {shortcuts.map(({ keys, action }) => (
          <div key={action}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{action}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
