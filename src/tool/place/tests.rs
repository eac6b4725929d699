use std::os::unix::fs::symlink;

use super::*;

#[test]
fn paths_lead_where_their_symlinks_lead() {
    let dir = tempfile::tempdir().unwrap();
    let base = dir.path().canonicalize().unwrap();
    let root = base.join("ws");
    std::fs::create_dir_all(root.join("src")).unwrap();
    std::fs::create_dir_all(root.join(".git")).unwrap();
    std::fs::create_dir_all(base.join("out")).unwrap();
    std::fs::write(root.join("src/a.rs"), "a").unwrap();
    symlink(base.join("out"), root.join("away")).unwrap();
    symlink("../out/new.txt", root.join("dangling")).unwrap();
    symlink("src", root.join("源")).unwrap();
    symlink(".git", root.join("innocent")).unwrap();
    symlink("loop", root.join("loop")).unwrap();
    symlink(&root, base.join("ws-link")).unwrap();
    let places = Places::new(
        &base.join("ws-link"),
        &[PathBuf::from("src/keep"), base.join("out/k")],
    );
    assert_eq!(places.root(), root);
    let outside = base.join("out").display().to_string();
    let absolute = root.join("src/a.rs").display().to_string();
    let by_link = base.join("ws-link/src/a.rs").display().to_string();
    use Place::{Guarded, Inside, Outside, Protected};
    let rows: Vec<(&str, Place, String)> = vec![
        (".", Inside, ".".into()),
        ("src/a.rs", Inside, "src/a.rs".into()),
        ("./src//../src/a.rs", Inside, "src/a.rs".into()),
        (&absolute, Inside, "src/a.rs".into()),
        (&by_link, Inside, "src/a.rs".into()),
        ("源/a.rs", Inside, "src/a.rs".into()),
        ("源/../b", Inside, "b".into()),
        ("new/deep/中文 名.md", Inside, "new/deep/中文 名.md".into()),
        ("new/../../out", Outside, outside.clone()),
        ("..", Outside, base.display().to_string()),
        ("away", Outside, outside.clone()),
        ("away/x", Outside, format!("{outside}/x")),
        ("away/../ws/src", Inside, "src".into()),
        ("dangling", Outside, format!("{outside}/new.txt")),
        ("/etc/passwd", Outside, "/etc/passwd".into()),
        (".git", Guarded, ".git".into()),
        (".git/config", Guarded, ".git/config".into()),
        (".GIT/hooks/x", Guarded, ".GIT/hooks/x".into()),
        ("innocent/hooks/x", Guarded, ".git/hooks/x".into()),
        ("sub/.git/config", Guarded, "sub/.git/config".into()),
        (".gitignore", Inside, ".gitignore".into()),
        ("flower.yaml", Guarded, "flower.yaml".into()),
        ("sub/flower.yaml", Inside, "sub/flower.yaml".into()),
        (
            ".flower/runs/manifest.json",
            Guarded,
            ".flower/runs/manifest.json".into(),
        ),
        (".flower/runs", Guarded, ".flower/runs".into()),
        (".flower/notes/x.md", Inside, ".flower/notes/x.md".into()),
        ("src/keep", Protected, "src/keep".into()),
        ("源/keep/x", Protected, "src/keep/x".into()),
        ("src/keeper", Inside, "src/keeper".into()),
        ("away/k", Protected, format!("{outside}/k")),
    ];
    for (given, place, shown) in rows {
        let target = places.target(given).unwrap();
        assert_eq!((target.place, target.shown), (place, shown), "{given}");
    }
    for bad in ["", "a\0b", "~", "~/x", "loop", "loop/x", "src/a.rs/x"] {
        assert!(places.target(bad).is_err(), "{bad:?}");
    }
}
