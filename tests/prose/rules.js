// rules.js - the rules of English prose for one piece of text: the length of sentences, passives, vague words. It does not know where
// pieces come from, nor how to spell a word.
import { readFileSync } from 'node:fs';
import { toNlcst } from 'mdast-util-to-nlcst';
import { ParseEnglish } from 'parse-english';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import retextIntensify from 'retext-intensify';
import retextRepeatedWords from 'retext-repeated-words';
import retextSimplify from 'retext-simplify';
import { unified } from 'unified';
import { VFile } from 'vfile';

export const MOST_WORDS = 40;

// The lines of a list; what follows # is a comment.
export const list = (name) => readFileSync(new URL(name, import.meta.url), 'utf8').split('\n').map((line) => line.replace(/#.*/, '').trim()).filter(Boolean);

const plain = (node) => node.value ?? (node.children ?? []).map(plain).join('');
const nodes = (node, type) => (node.type === type ? [node] : (node.children ?? []).flatMap((child) => nodes(child, type)));

// Code and links without text count as one word.
const length = (sentence) => ['WordNode', 'SourceNode'].flatMap((type) => sentence.flatMap((node) => nodes(node, type))).length;

// parse-english does not end a sentence before a small letter or code, but many of ours begin with n or with a name.
const ends = (node) => /[.?!]$/.test(plain(node)) && !/^(?:[A-Z]|e\.g|i\.e|Prof)\.$/.test(plain(node));
const sentences = (tree) => nodes(tree, 'SentenceNode').flatMap(({ children }) => {
  const parts = [[]];
  children.forEach((node, index) => {
    parts.at(-1).push(node);
    if (ends(node) && children[index + 1]?.type === 'WhiteSpaceNode') parts.push([]);
  });
  return parts.filter((part) => part.length);
});

// What acts in these texts.
const agents = 'algorithms?|brokers?|browsers?|clients?|commands?|coordinators?|kernels?|machines?|operators?|pages?|people|persons?|players?|process(?:es)?|programs?|prox(?:y|ies)|routes?|scripts?|servers?|services?|solvers?|systems?|tests?|threads?|users?|workers?';
const patterns = [
  {
    // A passive is right where nobody needs to know who acts. Where the sentence names who, that is its subject.
    rule: 'passive',
    expression: new RegExp(`\\b(?:is|are|was|were|be|been|being) (?:\\w+ly )?\\w+ by (?:(?:the|an?|another|each|every|some|any|its|their|other|one|two) )?(?:\\w+ )?(?:${agents})\\b`, 'gi'),
    why: 'names who acts: make that the subject',
  },
  { rule: 'word', expression: /\b(whoever|likewise|that which|what is not there|h[au]ngs? on)\b/gi, why: 'has a plainer equal' },
];

const ours = () => (tree, file) => {
  for (const sentence of sentences(tree)) {
    const report = (source, what) => file.message(what, { place: sentence[0].position, source });
    if (length(sentence) > MOST_WORDS) report('sentence-length', `a sentence of ${length(sentence)} words, the limit is ${MOST_WORDS}`);
    const text = sentence.map((node) => (node.type === 'SourceNode' ? '`' : plain(node))).join('').replace(/\s+/g, ' ');
    for (const { rule, expression, why } of patterns) for (const [words] of text.matchAll(expression)) report(rule, `"${words}" ${why}`);
  }
};

const markdown = unified().use(remarkParse).use(remarkGfm);
const english = unified().use(ours).use(retextRepeatedWords)
  .use(retextIntensify, { ignore: list('exact.txt') }).use(retextSimplify, { ignore: list('terms.txt') });

// An address that is its own text counts as code; cells of tables are paragraphs, too.
const addresses = (node) =>
  node.type === 'link' && plain(node) === node.url ? { type: 'inlineCode', value: node.url, position: node.position } : { ...node, ...(node.children && { children: node.children.map(addresses) }) };
const paragraphs = (node) => (['paragraph', 'heading', 'tableCell'].includes(node.type) ? [addresses({ ...node, type: 'paragraph' })] : (node.children ?? []).flatMap(paragraphs));

// What a piece of English has against the rules, [{file, line, rule, what}], and the words of a piece, [{file, line, word, language}],
// without code and addresses.
export function readPiece({ file, line, text, language }) {
  const virtual = new VFile(text);
  const trees = paragraphs(markdown.parse(virtual)).map((paragraph) => toNlcst(paragraph, virtual, ParseEnglish));
  if (language === 'en') for (const tree of trees) english.runSync(tree, virtual);
  return {
    findings: virtual.messages.map((message) => ({ file, line: line + message.line - 1, rule: message.source, what: message.reason })),
    words: trees.flatMap((tree) => nodes(tree, 'WordNode')).map((node) => ({ file, line: line + node.position.start.line - 1, word: plain(node), language })),
  };
}
