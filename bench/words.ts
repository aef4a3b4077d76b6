// The words and code lines that corpora are made of: English, six other scripts, and source code that is full of `<`.
// In code lines `$i` stands for an identifier, `$w` for a word, `$n` for a number.

export const ENGLISH = (
  'the of and to in is you that it for was on are as with they be at one have this from or had by but some what ' +
  'there we can out other were all your when up use word how said an each she which do their time if will way about ' +
  'many then them would write like so these her long make thing see him two has look more day could go come did my ' +
  'sound no most number who over know water than call first people may down side been now find any new work part ' +
  'take get place made live where after back little only round man year came show every good me give our under name ' +
  'function variable result example error server request response model answer question because therefore however ' +
  'between consider parameter temperature algorithm sequence database performance'
).split(' ');

export const SCRIPTS: readonly { words: readonly string[]; space: string; stop: string }[] = [
  {
    words: (
      'и в не на я быть он с что а по это она этот к но они мы весь который из у за свой от так о для ты же все тот ' +
      'мочь вы человек такой его сказать только или ещё бы себя один как уже до время если сам когда другой вот'
    ).split(' '),
    space: ' ',
    stop: '. ',
  },
  {
    words: (
      'και το να του η της με που την από για είναι στο ότι οι τα τον θα δεν των ένα μια στην αυτό όταν πολύ ' +
      'άνθρωπος χρόνος ερώτηση απάντηση παράδειγμα αποτέλεσμα'
    ).split(' '),
    space: ' ',
    stop: '. ',
  },
  {
    words: (
      'في من على إلى أن هذا التي الذي كان عن مع هو ما لا هي كل بعد قبل بين ذلك عند يوم وقت سؤال جواب مثال نتيجة ' +
      'الناس العمل اللغة'
    ).split(' '),
    space: ' ',
    stop: '. ',
  },
  {
    words: (
      'और का एक में की है यह हैं को इस कि जो कर मैं हो करने के लिए साथ नहीं था वह भी या तक कुछ समय सवाल जवाब उदाहरण ' +
      'परिणाम भाषा काम'
    ).split(' '),
    space: ' ',
    stop: '। ',
  },
  {
    words: (
      '的 一 是 不 了 人 我 在 有 他 这 中 大 来 上 国 个 到 说 们 问题 答案 例子 结果 语言 工作 时间 模型 数据 函数 因为 ' +
      '所以 如果 可以 需要 使用 方法 我们 什么'
    ).split(' '),
    space: '',
    stop: '。',
  },
  {
    words: (
      '이 그 저 것 수 나 우리 있다 하다 되다 없다 사람 아니다 같다 때 보다 않다 말 일 시간 질문 대답 예제 결과 언어 모델 ' +
      '데이터 함수 그래서 하지만'
    ).split(' '),
    space: ' ',
    stop: '. ',
  },
];

export const EMOJI = ['🙂', '🚀', '👍', '🎉', '🤔'];

export const IDENTIFIERS = (
  'value index result items node left right count buffer offset length name props state config handler stream reader ' +
  'token parser row column total key entry cursor'
).split(' ');

export const CODE: readonly string[] = [
  '    <div class="$i $i"><span id="$i-$n">$w $w</span></div>\n',
  '      <li><a href="/$i/$n?sort=$i">$w</a></li>\n',
  '  <section>\n    <h2>$w $w</h2>\n    <p>$w $w <em>$w</em> $w $w.</p>\n  </section>\n',
  '  <entry id="$n"><title>$w</title><link href="$i"/></entry>\n',
  '<!-- $w $w $w -->\n<?xml version="1.0" encoding="UTF-8"?>\n',
  '<![CDATA[ $w < $w && $i <= $n ]]>\n',
  'export const $i = <T,>({ $i, $i }: Props<T>) => <List<T> key={$i} of={$i} />;\n',
  '  return <><$i.Provider value={$i}>{$i.map((x) => <Item key={x.$i} {...x} />)}</$i.Provider></>;\n',
  'const $i: Map<string, Array<Record<string, number>>> = new Map();\n',
  'for (let $i = 0; $i < $n; $i++) { if ($i[$i] < $i.$i) $i += $i << 3; }\n',
  'template <typename T, std::enable_if_t<std::is_integral<T>::value, int> = 0>\n',
  '#include <$i>\n#include <$i/$i.hpp>\n',
  'std::vector<std::pair<int, std::string>> $i; std::cout << "$w " << $i.size() << std::endl;\n',
  'static_cast<std::uint64_t>($i) << $n | reinterpret_cast<char*>(&$i)[$n];\n',
  '    public Map<String, List<? extends $i>> $i() { return this.<$i>$i($n); }\n',
  'def $i($i, $i=$n):\n    """$w $w $w $w."""\n    return [$i for $i in $i if $i < $n]\n',
  'SELECT $i, count(*) FROM $i WHERE $i <> $n AND $i <= $n GROUP BY $i;\n',
  'if [[ "$i" -lt $n ]]; then cat <<EOT > $i.txt\n$w $w\nEOT\nfi\n',
  '  | $i -> $i $i\n  | _ -> failwith "$w"\n',
  '{"$i": {"$i": [$n, $n, $n], "$i": "$w $w"}}\n',
];

/** Lines that hold `<|` or `<|>` without being a control token: F#, Haskell, Elm, shell. */
export const BARS: readonly string[] = [
  'let $i = List.map ($i $n) <| List.filter $i $i\n',
  '$i = $i <$> $i <*> $i <|> $i <|> pure $n\n',
  'view $i = Html.div [] <| List.map $i <| $i.$i\n',
  'printfn "%d" <| $i + $n  // <|$i|> is no token\n',
];
