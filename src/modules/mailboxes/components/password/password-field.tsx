'use client';

import { Button, PasswordInput } from '@mantine/core';
import { IconDice5 } from '@tabler/icons-react';
import { useState } from 'react';
import { CopyIcon } from '@/components/copy-button';
import { PASSWORD_RULE } from '@/lib/password';
import { makePassword } from '../mailbox-values';

type PasswordFieldProps = {
  label: string;
  value: string;
  error?: React.ReactNode;
  onChange: (value: string) => void;
  onMade: (password: string) => void;
};

export function PasswordField({ label, value, error, onChange, onMade }: PasswordFieldProps) {
  const [isVisible, setIsVisible] = useState(false);
  const make = () => {
    const password = makePassword();
    onChange(password);
    onMade(password);
    setIsVisible(true);
  };
  return (
    <div className="password-field">
      <PasswordInput
        label={label}
        description={PASSWORD_RULE}
        className="mono-input"
        autoComplete="new-password"
        visible={isVisible}
        onVisibilityChange={setIsVisible}
        visibilityToggleButtonProps={{ 'aria-label': isVisible ? 'Hide the password' : 'Show the password' }}
        value={value}
        error={error}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <span className="password-actions">
        {value !== '' && <CopyIcon value={value} what="the password" />}
        <Button leftSection={<IconDice5 stroke={1.5} />} onClick={make}>
          Make one
        </Button>
      </span>
    </div>
  );
}
