// strings.test.js - the texts of the pages as text: each is used, each that is used is there in English, and other languages have the
// same ones with the same values, or English instead.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { after, assert, start, test } from '../http/harness.js';
import { languages, wordsOf } from './languages.js';
import { flat, fromService, isPlural, wanted } from './wanted.js';

const server = await start({ after });
const algorithms = await server.getJson('/algorithms');
const folder = new URL('../../src/web/', import.meta.url);
const files = readdirSync(folder).filter((name) => /\.(js|html)$/.test(name) && !name.startsWith('words_') && name !== 'records.js'); // which names what the browser keeps
const sources = Object.fromEntries(files.map((name) => [name, readFileSync(new URL(name, folder), 'utf8')]));
const words = Object.fromEntries(await Promise.all(languages.map(async (language) => [language, await wordsOf(language)])));
const all = Object.fromEntries(languages.map((language) => [language, flat(words[language])]));
const others = languages.filter((name) => name !== 'en');

// What English has from the service, and so has no words for.
const OTHERS = /^(titles|methods|routes|tags|watch\.of)\./;
// What words.js hands out whole, and what pack.sh reads.
const WHOLE = /^((titles|methods|articles|pages)\.|(language|unloaded)$)/;

// The names with which code completes a key: here `*` is any. Whoever composes a key at run time adds its names.
const COMPOSED = {
  'pages.${}.title': 'front play watch count board build',
  'front.${}': 'play watch count board',
  'front.${}Is': 'play watch count board',
  'game.clash.${}': 'row column',
  'game.starves.${}': 'row column region',
  '${}.title': 'board play watch count build',
  '${}.about': 'board play watch count build',
  'count.${}': 'all fundamental mirror torus any point quarter auto estimate orbit classCount solutions done failed cancelled bySearch byJoining byOrbits withoutSearch',
  'count.by_${}': 'computed table estimate',
  'growth.${}': 'tests placements firstTests firstSteps quartiles range',
  'rules.${}.name': '*',
  'rules.${}.none': '*',
  'rules.${}.is': '*',
  'routes.${}': '*',
  'tags.${}': '*',
  'refused.${}': '*',
  'problems.${}': '*',
  'game.level.${}': '*',
  'game.checks.${}': '*',
  'game.about.${}': 'regions completion',
  'game.named.${}': 'regions completion',
  'game.${}': 'regions completion free auto still',
  'learn.${}': 'right wrong only attacks region row column last',
  'play.${}': 'heat hits computed table estimate row column diagonal antidiagonal knight neighbour reflection',
  'build.${}': 'n method with seed multiplier shift factors row how source sizes time chance work',
  'watch.${}': 'place reject remove move solution take keep placements tests backtracks solutions states energy does source year counted breadth depth priority start previous back forward next at reached reachedKnown language',
  'watch.of.${}.${}': '*',
  'watch.line.${}': '*',
  'watch.p_${}': 'column split strategy seed',
};

const sections = [...new Set(Object.values(all).flatMap((words) => Object.keys(words)).map((key) => key.split('.')[0]))];
const found = (expression) =>
  Object.entries(sources).flatMap(([file, text]) => [...text.matchAll(expression)].map(([, key]) => ({ file, key })));
const section = `(?:${sections.join('|')})`;
const KEPT = ['play.games']; // what the browser keeps, not a text
const literal = found(new RegExp(`['"](${section}(?:\\.[\\w-]+)+)['"]`, 'g')).filter(({ key }) => !KEPT.includes(key));
const composed = [new RegExp(`\`(${section}\\.[^\`]*\\$\\{[^\`]*)\``, 'g'), /`(\$\{\w+\}\.\w+)`/g]
  .flatMap(found)
  .map(({ file, key }) => ({ file, key: key.replace(/\$\{[^}]*\}/g, '${}') }));

const keys = (name) => Object.keys(all[name]);
const isName = (pattern) => {
  const names = COMPOSED[pattern] === '*' ? '[\\w-]+' : COMPOSED[pattern].replaceAll(' ', '|');
  return new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('${}', `(?:${names})`)}$`);
};
const composedKeys = Object.keys(COMPOSED).map(isName);

test('keys that code composes are those of the table', () => {
  assert.ok(composed.length > 30);
  for (const { file, key } of composed) assert.ok(key in COMPOSED, `src/web/${file} composes ${key}: add its names to COMPOSED`);
  for (const pattern of Object.keys(COMPOSED)) assert.ok(composed.some(({ key }) => key === pattern), `nothing composes ${pattern}`);
});

test('every text that code names is there in English, and every text is used', () => {
  const named = Object.entries(COMPOSED).filter(([, names]) => names !== '*')
    .flatMap(([pattern, names]) => names.split(' ').map((name) => ({ file: 'COMPOSED', key: pattern.replace('${}', name) })));
  assert.ok(literal.length > 300);
  for (const { file, key } of [...literal, ...named]) assert.ok(all.en[key], `${file} needs ${key} in words_en.js`);
  const names = new Set(literal.map(({ key }) => key));
  for (const language of languages)
    for (const key of keys(language))
      assert.ok(names.has(key) || WHOLE.test(key) || composedKeys.some((one) => one.test(key)), `nothing uses ${key} of words_${language}.js`);
});

for (const language of others) {
  test(`${language} has texts of English and of the service, with the same values, and the plural forms that it needs`, () => {
    const known = { ...all.en, ...fromService(algorithms, false) };
    const values = (forms) => [...new Set(forms.join(' ').match(/\{\w+\}/g))].sort();
    for (const key of keys(language)) {
      assert.ok(key in known || /^watch\.of\.[\w-]+\.source$/.test(key), `there is no ${key}`);
      if (!OTHERS.test(key)) assert.deepEqual(values(all[language][key]), values(all.en[key]), key);
      if (/^(routes|tags)\./.test(key)) assert.ok(all[language][key][0].length < 70, key);
    }
    const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions();
    const check = (value) => {
      if (typeof value === 'string') return;
      if (!isPlural(value)) return Object.values(value).forEach(check);
      assert.ok(value.other, JSON.stringify(value));
      for (const form of Object.keys(value)) assert.ok(pluralCategories.includes(form), `${form}: ${JSON.stringify(value)}`);
    };
    check(words[language]);
  });

  test(`wanted translations of ${language}: they are told, and a release (NQ_RELEASE=1) has none`, () => {
    const all = wanted(words[language], words.en, algorithms);
    for (const [key, text] of all) console.log(`# words_${language}.js wants ${key}: ${text}`);
    if (process.env.NQ_RELEASE) assert.deepEqual(all, []);
  });
}

test('where a language has no text the page gets that of English', async () => {
  const minified = (language, source) => execFileSync('esbuild', ['--minify', '--charset=utf8'], { input: source ?? sourceOf(language) });
  const sourceOf = (language) => readFileSync(new URL(`words_${language}.js`, folder), 'utf8');
  const packed = async (source) => {
    const input = Buffer.concat([minified('en'), minified('it', source)]);
    const text = execFileSync('awk', ['-f', fileURLToPath(new URL('words.awk', folder))], { input, encoding: 'utf8' });
    return (await import(`data:text/javascript,${encodeURIComponent(text)}`)).default;
  };
  for (const language of languages) assert.deepEqual(await packed(sourceOf(language)), words[language]);
  const { unloaded, solutions, ...less } = structuredClone(words.it);
  for (const path of [['shell', 'gone'], ['rules', 'toroidal', 'none'], ['rules', 'touching'], ['play', 'completions'], ['titles', 'linear']]) {
    const last = path.pop();
    delete path.reduce((at, name) => at[name], less)[last];
  }
  less.play.more = { other: '{count}' }; // plural forms are taken whole
  const missing = ['unloaded', ...Object.keys(solutions).map((key) => `solutions.${key}`), 'shell.gone', 'rules.toroidal.none',
    ...Object.keys(words.en.rules.touching).map((key) => `rules.touching.${key}`), 'play.completions'];
  assert.deepEqual(wanted(less, words.en, algorithms).map(([key]) => key).sort(), [...missing, 'titles.linear'].sort());
  const whole = flat(await packed(`export default ${JSON.stringify(less)};`));
  for (const key of keys('it').filter((key) => key !== 'titles.linear'))
    assert.deepEqual(whole[key], key === 'play.more' ? ['{count}'] : missing.includes(key) ? all.en[key] : all.it[key], key);
});

test('a script names only texts that come with it or with the page', () => {
  const pack = readFileSync(new URL('pack.sh', folder), 'utf8');
  const shared = /^shared='(.*)'/m.exec(pack)[1].split(' ').map((name) => `${name}.js`);
  const parts = /^parts='(.*)'$/m.exec(pack)[1].split(' ').map((part) => part.split(':'));
  const owned = new Set([...parts.flatMap(([, names]) => names.split(',')), 'docs', 'routes', 'tags']);
  const modules = (file, seen = new Set()) => {
    if (seen.has(file) || shared.includes(file)) return seen;
    seen.add(file);
    for (const [, other] of (sources[file] ?? '').matchAll(/from '\.\/([\w.]+)'/g)) modules(other, seen);
    return seen;
  };
  const used = [...literal, ...composed].filter(({ key }) => !/^\$|\.(title|about)$/.test(key));
  let checked = 0;
  for (const [script, names] of [...parts, ['main', '']])
    for (const { file, key } of used.filter(({ file }) => modules(`${script}.js`).has(file) || (script === 'main' && shared.includes(file)))) {
      // Play has loaded the script of its kind before it is opened, and a puzzle is won before its sheet is
      const won = ['days', 'game'];
      const mine = { 'tab_play.js': ['game'], 'play_days.js': won, 'days.js': won }[file] ?? names.split(',');
      assert.ok(!owned.has(key.split('.')[0]) || mine.includes(key.split('.')[0]), `${file} uses ${key}, which ${script} comes without`);
      checked++;
    }
  assert.ok(checked > 300);
});
