//! Shell commands: what is understood, what is not, and that nothing makes the reader fall over.

use permc_grammar::shell::{CommandKind, Limits, Part, Quoting, Script, Terminator, parse};

fn read(text: &str) -> Script {
    parse(text, &Limits::default())
}

#[test]
fn everyday_commands_are_understood() {
    for (text, pipelines) in [
        ("", 0),
        ("# only a comment", 0),
        ("git status", 1),
        ("a && b || c; d & e\nf", 6),
        ("a | b |& c", 1),
        ("! a | b", 1),
        ("time -p a", 1),
        ("ls in", 1),
        ("cat < in; echo {", 2),
        ("select x in a b; do echo; done", 1),
        ("coproc A { ls; }", 1),
        ("a=() b=(1 2)\r\nlocal c=() # d", 2),
        ("m[a.b]=c n[$(ls)]=d", 1),
        (
            "git commit -m \"$(cat <<'EOF'\none (two)\n EOF)\nEOF\n)\"",
            1,
        ),
        ("cat <<EOF\nEOF)\nEOF", 1),
        ("case x in a) for i in esac2; do b; done;; esac", 1),
        ("for i in esac; do a; done", 1),
        ("echo $(\n  time a\n)", 1),
        ("echo $(a; time (b)) $(! c)", 1),
        ("readonly r=() # 'd", 1),
        ("A=1 <in b[1]=2", 1),
        ("<a &>>b.log c; d >e=f &>>g=h", 2),
        ("[[ {a} == b && 1 < 2 ]]", 1),
        ("function f # c\n{ a; }", 1),
        ("A=1 B+=2 c[1]=3 d=(1 2 \"3\") e", 1),
        ("echo 'a' \"b $c ${d:-e} $(f) `g`\" $'\\x41' $\"h\" \\i", 1),
        ("a <b >c 2>&1 >>d <>e >|f &>g {h}<i <<<j", 1),
        ("cat <<E <<-'F'\none $x\nE\n\ttwo\n\tF\nls", 2),
        ("{ a; }; (b; c)", 2),
        ("if a; then b; elif c; then d; else e; fi", 1),
        ("while a; do b; done; until a; do b; done", 2),
        (
            "for i in 1 2; do a; done; for ((i=0;i<3;i++)); do b; done; for x; do c; done",
            3,
        ),
        ("select i in a b; do c; done", 1),
        ("case $x in (a|b) c;; d) e;& *) f;; esac", 1),
        ("f() { a; }; function g { b; }; function h() (c)", 3),
        ("coproc a; coproc n { b; }", 2),
        ("[[ -f a && ( $b == c* || ! $d =~ ^(x|y)+$ ) ]]", 1),
        ("(( a + b )); echo $(( 1 + (2) )) $[3]", 2),
        ("diff <(a) >(b)", 1),
        (
            "echo ${#a} ${!b} ${c[1]} ${d[@]} ${e//x/y} ${f^^} ${g:1:2} ${h@Q} $# $? $1",
            1,
        ),
        ("a \\\n b\r\nc", 2),
        ("echo ${ ls; } $( (a) ) $(case x in x) y;; esac)", 1),
    ] {
        let script = read(text);
        assert!(
            script.faults.is_empty() && !script.oversized,
            "{text:?}: {:?}",
            script.faults
        );
        assert_eq!(script.list.pipelines.len(), pipelines, "{text:?}");
    }
}

#[test]
fn what_bash_refuses_is_a_fault_and_the_rest_is_still_read() {
    for (text, commands) in [
        ("echo 'open", 1),
        // Odd texts that bash refuses, some of them only where they stand in others.
        ("in", 0),
        ("(for n do A=()q=();done)", 0),
        ("coproc declare x=(then)", 0),
        ("{ { select n;{ \"\";}&};\"\"\tin;}", 0),
        ("(d[$$(]= a=())", 0),
        ("f[<(ls)]=()", 0),
        ("g()(<{)", 0),
        ("f()(>&1 {)", 0),
        ("case a in a) f[$(x)]= q=();;esac", 0),
        ("ls\r\\\n\nls", 0),
        ("echo $(<<E\nE)\nE\n)", 0),
        ("echo $(cat <<-'E'\n\tE (x)\nE\n)", 0),
        ("echo $(<<''\na)\n\n)", 0),
        ("case b in b) for f in esac\ndo a; done;; esac", 0),
        ("case b in esac; for f in esac; do a; done", 0),
        ("f[\"$(\ntime(e))\"]=()", 0),
        ("f()((($(! time A=() ''))) <a | (b)\n'')", 0),
        ("readonly r=()#'", 0),
        ("A=<b c[;&]=", 0),
        ("[[ {d}>- ]]", 0),
        ("function # [[ a ]]", 0),
        ("<a &>>b=c", 0),
        ("<a >b &>>c[$()", 0),
        ("echo \"open", 1),
        ("echo $(ls", 1),
        ("echo `ls", 1),
        ("echo ${", 1),
        ("ls &&", 1),
        ("| ls", 1),
        ("ls | | wc", 1),
        ("foo )( bar", 1),
        ("if true; then ls", 1),
        ("if true; fi", 1),
        ("for 1 in a; do b; done", 0),
        ("while a; done", 1),
        ("case x in", 1),
        ("{ ls", 1),
        ("(ls", 1),
        ("ls; done", 1),
        ("ls >", 0),
        ("f() ls", 1),
        ("[[ a b ]]", 1),
        ("[[ -f ]]", 1),
        ("cat <<E\nnever ended", 1),
        ("a=(1", 1),
        ("ls;; pwd", 1),
        ("echo @(a|b)", 1),
        ("ls\u{A0}x", 1),
        ("ls\u{B}x", 1),
    ] {
        let script = read(text);
        assert!(!script.faults.is_empty(), "{text:?} has no fault");
        assert!(
            script.list.pipelines.len() >= commands,
            "{text:?}: {script:#?}"
        );
    }
}

#[test]
fn spans_and_texts_are_those_of_the_source() {
    let text = "X=1 git\t'a b'  \"c$d\" >out && ls";
    let script = read(text);
    let [first, second] = script.list.pipelines.as_slice() else {
        panic!("{script:#?}")
    };
    assert_eq!((first.end, second.end), (Terminator::And, Terminator::None));
    let command = &first.commands[0];
    let CommandKind::Simple(simple) = &command.kind else {
        panic!("{command:#?}")
    };
    let slice = |start: usize, end: usize| text.get(start..end).unwrap();
    let words: Vec<&str> = simple
        .words
        .iter()
        .map(|word| slice(word.span.start, word.span.end))
        .collect();
    assert_eq!(words, ["git", "'a b'", "\"c$d\""]);
    assert_eq!(simple.assignments[0].name, "X");
    let target = &command.redirects[0];
    assert_eq!(slice(target.span.start, target.span.end), ">out");
    let Part::Text { text, quoting, .. } = &simple.words[1].parts[0] else {
        panic!("{simple:#?}")
    };
    assert_eq!((text.as_str(), *quoting), ("a b", Quoting::Single));
}

#[test]
fn nothing_exhausts_the_stack_and_limits_are_told() {
    let pieces = [
        "(",
        "$(",
        "`",
        "\"",
        "${",
        "${x:-",
        "<<a ",
        "{ ",
        "if ",
        "[[ ",
        "'",
        "$((",
        "((",
        "a=(",
        "case x in a) ",
        "f() { ",
        "<(",
        "\"$(",
        "while ",
        "! ",
        "coproc ",
        "|",
        "&",
        ";",
        "\\",
        "\n",
        "$'",
        "for x in ",
        "[[ ( ",
    ];
    let run = move || {
        for piece in pieces {
            let text = piece.repeat(64 * 1024 / piece.len());
            let script = read(&text);
            // Pairs of quotes and lone line ends are whole texts, however many.
            let is_whole = ["`", "\"", "'", "\n", "\\", "$'"].contains(&piece);
            assert!(
                script.oversized || !script.faults.is_empty() || is_whole,
                "{piece:?}"
            );
        }
        let long = "a ".repeat(40_000);
        assert!(read(&long).oversized);
        assert!(read(&"a;".repeat(11_000)).oversized);
        assert!(!read(&"a;".repeat(9_000)).oversized);
    };
    let thread = std::thread::Builder::new()
        .stack_size(1024 * 1024)
        .spawn(run)
        .unwrap();
    thread.join().unwrap();
}
