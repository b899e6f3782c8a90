// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {MerkleProof} from "@openzeppelin/contracts/utils/cryptography/MerkleProof.sol";
import {BitMaps} from "@openzeppelin/contracts/utils/structs/BitMaps.sol";

/// Pays each leaf of a Merkle tree once, up to and including `deadline`; the owner takes the rest afterwards.
/// A leaf is keccak256(keccak256(abi.encode(index, account, amount))); pairs are hashed in ascending order.
contract AirdropDistributor {
    using SafeERC20 for IERC20;
    using BitMaps for BitMaps.BitMap;

    IERC20 public immutable token;
    bytes32 public immutable merkleRoot;
    uint256 public immutable deadline;
    address public immutable owner;

    BitMaps.BitMap private _claimed;

    event Claimed(uint256 indexed index, address indexed account, uint256 amount);
    event Swept(address indexed owner, uint256 amount);

    error Closed();
    error StillOpen();
    error AlreadyClaimed();
    error WrongProof();
    error NotOwner();

    constructor(IERC20 token_, bytes32 merkleRoot_, uint256 deadline_, address owner_) {
        token = token_;
        merkleRoot = merkleRoot_;
        deadline = deadline_;
        owner = owner_;
    }

    function isClaimed(uint256 index) public view returns (bool) {
        return _claimed.get(index);
    }

    /// Anybody may send it; `account` is paid.
    function claim(uint256 index, address account, uint256 amount, bytes32[] calldata proof) external {
        if (block.timestamp > deadline) revert Closed();
        if (isClaimed(index)) revert AlreadyClaimed();
        bytes32 leaf = keccak256(bytes.concat(keccak256(abi.encode(index, account, amount))));
        if (!MerkleProof.verifyCalldata(proof, merkleRoot, leaf)) revert WrongProof();
        _claimed.set(index);
        token.safeTransfer(account, amount);
        emit Claimed(index, account, amount);
    }

    function sweep() external returns (uint256 amount) {
        if (msg.sender != owner) revert NotOwner();
        if (block.timestamp <= deadline) revert StillOpen();
        amount = token.balanceOf(address(this));
        token.safeTransfer(owner, amount);
        emit Swept(owner, amount);
    }
}
