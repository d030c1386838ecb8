'use client';

import { Input, PinInput } from '@mantine/core';
import type { KeyboardEvent } from 'react';
import classes from './code-input.module.css';

const LENGTH = 6;

type CodeInputProps = {
  value: string;
  error?: string | null;
  onChange: (code: string) => void;
  onComplete?: (code: string) => void;
  autoFocus?: boolean;
  size?: 'sm' | 'lg';
};

/** The six digits of an authenticator app. */
export function CodeInput({ value, error, onChange, onComplete, autoFocus, size = 'sm' }: CodeInputProps) {
  // PinInput keeps Enter from submitting the form.
  const onKeyDown = ({ key, currentTarget }: KeyboardEvent<HTMLFieldSetElement>) => {
    if (key === 'Enter' && isWholeCode(value)) currentTarget.form?.requestSubmit();
  };
  return (
    <fieldset className={classes.code} data-size={size} onKeyDown={onKeyDown}>
      <legend className="sr-only">Six-digit code</legend>
      <PinInput
        classNames={{ root: classes.root, pinInput: classes.digit, input: classes.input }}
        length={LENGTH}
        type="number"
        inputMode="numeric"
        oneTimeCode
        placeholder=""
        value={value}
        error={Boolean(error)}
        onChange={onChange}
        onComplete={onComplete}
        autoFocus={autoFocus}
        getInputProps={(index) => ({ 'aria-label': `Digit ${index + 1}` })}
      />
      {error && <Input.Error role="alert">{error}</Input.Error>}
    </fieldset>
  );
}

export function isWholeCode(code: string): boolean {
  return /^\d{6}$/.test(code);
}
