'use client';

import { Button, PasswordInput } from '@mantine/core';
import { useState } from 'react';
import { generatePassword } from '@/lib/access/generate-password';
import { PASSWORD_RULE } from '@/lib/access/password';
import { IconDice5 } from '../icons/icons';
import { CopyIcon } from '../values/copy-button';
import { AccountName } from './account-name';
import classes from './password-field.module.css';

type PasswordFieldProps = {
  label: string;
  /** Follows the rule for passwords. */
  hint?: string;
  /** The email or address of whose password it is. */
  account: string;
  value: string;
  error?: React.ReactNode;
  onChange: (value: string) => void;
  onGenerate: (password: string) => void;
};

export function PasswordField({ label, hint, account, value, error, onChange, onGenerate }: PasswordFieldProps) {
  const [isVisible, setIsVisible] = useState(false);
  const generate = () => {
    const password = generatePassword();
    onChange(password);
    onGenerate(password);
    setIsVisible(true);
  };
  return (
    <div className={classes.field}>
      <AccountName name={account} />
      <PasswordInput
        label={label}
        description={hint ? `${PASSWORD_RULE}. ${hint}` : PASSWORD_RULE}
        className="mono-input"
        autoComplete="new-password"
        visible={isVisible}
        onVisibilityChange={setIsVisible}
        visibilityToggleButtonProps={{ 'aria-label': isVisible ? 'Hide password' : 'Show password' }}
        value={value}
        error={error}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <span className={classes.actions}>
        {value !== '' && <CopyIcon value={value} what="the password" />}
        <Button leftSection={<IconDice5 stroke={1.5} />} onClick={generate}>
          Generate password
        </Button>
      </span>
    </div>
  );
}
