'use client';

import { DomainPicker, type DomainPickerProps } from '@/components/pickers/domain-picker';
import { MailboxPicker } from '@/components/pickers/mailbox-picker';
import { SegmentedControl } from '@/components/segmented-control';
import type { SieveScope } from '../schema';
import { SCOPE_LABELS } from './filter-values';
import classes from './scope-fields.module.css';

type ScopeFieldsProps = {
  scope: SieveScope;
  canUseGlobal: boolean;
  domain: DomainPickerProps;
  mailbox: object;
  onScopeChange: (scope: SieveScope) => void;
};

export function ScopeFields({ scope, canUseGlobal, domain, mailbox, onScopeChange }: ScopeFieldsProps) {
  const { global, ...ownScopes } = SCOPE_LABELS;
  return (
    <>
      <div className={classes.scope}>
        <span aria-hidden="true">Applies to</span>
        <SegmentedControl
          label="Applies to"
          value={scope}
          options={(canUseGlobal ? SCOPE_LABELS : ownScopes) as Record<SieveScope, string>}
          onChange={onScopeChange}
        />
      </div>
      {scope === 'domain' && <DomainPicker placeholder="Choose a domain" {...domain} />}
      {scope === 'mailbox' && <MailboxPicker {...mailbox} />}
    </>
  );
}
