'use client';

import { Textarea } from '@mantine/core';
import { FieldPair } from '../layout/form-layout';
import { type DomainChoice, DomainPicker } from '../pickers/domain-picker';
import { ImportFile } from './import-file';

type ImportFieldsProps = {
  domain: DomainChoice | undefined;
  /** The label of the choice of no domain, where that is possible. */
  allLabel?: string;
  csv: string;
  errors: { domain_id?: React.ReactNode; csv?: React.ReactNode };
  /** Which columns there are. */
  description: string;
  example: string;
  onDomain: (domain: DomainChoice | null) => void;
  onCsv: (text: string) => void;
};

/** The domain, and a CSV file or its text. */
export function ImportFields(props: ImportFieldsProps) {
  const { domain, allLabel, csv, errors, description, example, onDomain, onCsv } = props;
  return (
    <>
      <FieldPair>
        <DomainPicker
          error={errors.domain_id}
          value={domain?.id}
          known={domain}
          allLabel={allLabel}
          onChange={(_, chosen) => (chosen !== null || allLabel !== undefined) && onDomain(chosen)}
        />
        <ImportFile onText={onCsv} />
      </FieldPair>
      <Textarea
        label="Or paste CSV"
        className="mono-input"
        description={description}
        placeholder={example}
        rows={4}
        spellCheck={false}
        error={errors.csv}
        value={csv}
        onChange={(event) => onCsv(event.currentTarget.value)}
      />
    </>
  );
}
