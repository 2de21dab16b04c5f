interface LabelTemplate {
  readonly name: string;
  /** Six hex digits, without `#`. */
  readonly color: string;
  readonly description: string;
  readonly exclusive: boolean;
}

const label = (name: string, color: string, description: string): LabelTemplate => ({
  name,
  color,
  description,
  exclusive: name.includes('/'),
});

/** Sets of labels for a new repository (ISS-30). */
export const labelTemplates: ReadonlyMap<string, readonly LabelTemplate[]> = new Map([
  [
    'Advanced',
    [
      label('Kind/Bug', 'ee0701', 'Something does not work'),
      label('Kind/Feature', '0288d1', 'Something new'),
      label('Kind/Enhancement', '84b6eb', 'Something gets better'),
      label('Kind/Security', '9c27b0', 'Touches security'),
      label('Kind/Testing', '795548', 'About tests'),
      label('Kind/Breaking', 'c62828', 'Breaks what users rely on'),
      label('Kind/Documentation', '37474f', 'About the documentation'),
      label('Reviewed/Duplicate', '616161', 'Known already'),
      label('Reviewed/Invalid', '546e7a', 'Not a problem here'),
      label('Reviewed/Confirmed', '795548', 'Seen by somebody else too'),
      label("Reviewed/Won't Fix", 'eeeeee', 'Stays as it is'),
      label('Status/Need More Info', '424242', 'Waits for an answer'),
      label('Status/Blocked', '880e4f', 'Something else comes first'),
      label('Status/Abandoned', '222222', 'Nobody works on it'),
      label('Priority/Critical', 'b71c1c', 'Before all else'),
      label('Priority/High', 'd32f2f', 'Soon'),
      label('Priority/Medium', 'e64a19', 'In its turn'),
      label('Priority/Low', '4caf50', 'Some day'),
      { ...label('Compat/Breaking', 'c62828', 'Users must change something'), exclusive: false },
    ],
  ],
  [
    'Default',
    [
      label('bug', 'ee0701', 'Something does not work'),
      label('duplicate', 'cccccc', 'Known already'),
      label('enhancement', '84b6eb', 'Something new or better'),
      label('help wanted', '128a0c', 'More hands are welcome'),
      label('invalid', 'e6e6e6', 'Not a problem here'),
      label('question', 'cc317c', 'Somebody wants to know'),
      label('wontfix', 'ffffff', 'Stays as it is'),
    ],
  ],
]);
