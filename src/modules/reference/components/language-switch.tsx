'use client';

import { SegmentedControl } from '@/components/segmented-control';
import { LANGUAGES, useLanguage } from './language';

export function LanguageSwitch() {
  const [language, setLanguage] = useLanguage();
  return (
    <SegmentedControl
      label="Language of the code"
      value={language}
      options={LANGUAGES}
      onChange={(value) => void setLanguage(value)}
    />
  );
}
